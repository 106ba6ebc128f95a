package import ShellSession

/// The commands that change operations and queues, observe them, and order a script.
package enum SteerGroups {
  /// Those of the group "Steer" of `help`, in its order.
  package static let steer: [any Command.Type] = [
    Cancel.self, Priority.self, QoS.self, Start.self, Finish.self, Close.self, Pause.self,
    Resume.self, Slow.self, Retry.self, Name.self,
  ]

  /// Those of the group "Queues".
  package static let queues: [any Command.Type] = [
    QueueList.self, QueueNew.self, QueueAdd.self, QueueShow.self, QueueUse.self, QueuePause.self,
    QueueResume.self, QueueWidth.self, QueuePace.self, QueueQoS.self, QueueCoalesce.self,
    QueueStep.self,
    QueueBarrier.self, QueueOrder.self, QueueDrain.self, QueueCancel.self, QueueRemove.self,
  ]

  /// Those of the group "Observe".
  package static let observe: [any Command.Type] = [
    Observe.self, ObserveQueue.self, Observers.self, Unobserve.self, On.self, OnQueue.self,
    OnApp.self, Events.self,
  ]

  /// Those of the group "Flow".
  package static let flow: [any Command.Type] = [
    Wait.self, WaitQueue.self, Expect.self, NeverCommand.self, Echo.self, Sleep.self, Next.self,
    Time.self, Source.self, OriginalCommand.self, Fail.self, Back.self, Reset.self,
  ]

  /// The commands that end the shell.
  package static let leaving: [any Command.Type] = [Quit.self, Exit.self]
}
