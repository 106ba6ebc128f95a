package import ShellSession

/// The commands that show operations, queues and times.
package enum InspectGroup {
  /// Those of the group "Inspect" of `help`, in its order.
  package static let commands: [any Command.Type] = [
    Ops.self, Show.self, Follow.self, Why.self, At.self, Doctor.self, Deps.self, Tree.self,
    Diagram.self,
    Timeline.self, Blame.self, BlameQueue.self, ResultCommand.self, ResultTweets.self,
    LogCommand.self, Stats.self, StatsThreads.self,
  ]
}
