/// Looks at a world that is folded, after each event; every call is in a transaction of its engine.
protocol WorldObserver: AnyObject {
  /// Called after a change of an operation.
  func changed(
    _ event: EventLog.Change.Event, of operation: ObservableOperation, at time: Int64,
    in state: inout EngineState)
  /// Called after a change of a queue.
  func changed(
    _ event: EventLog.Change.Event, of queue: InspectableQueue, at time: Int64,
    in state: inout EngineState)
  /// Called after an entry of an operation, before a finished one leaves its queue.
  func passed(
    _ entry: WorldFold.Entry, of operation: ObservableOperation, at time: Int64,
    in state: inout EngineState)
}
