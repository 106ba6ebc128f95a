import Operations
import Testing

/// Waits until all operations of a queue have finished, and ends the test if they do not, so that
/// a loop of hundreds of rounds doesn't wait in vain in each of them.
func drainOrStop(
  _ queue: InspectableQueue, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let isEmpty = queue.waitUntilAllOperationsAreFinished(timeout: .seconds(120))
  try #require(
    isEmpty, "\(queue.operations.map(\.displayName).prefix(10)) unfinished",
    sourceLocation: sourceLocation)
}

/// Adds operations all together and waits until they have finished, but not for ever.
func runAll(
  _ operations: [ObservableOperation], on queue: InspectableQueue,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  try queue.addOperations(operations, waitUntilFinished: false)
  for operation in operations {
    try #require(
      operation.waitUntilFinished(timeout: .seconds(120)),
      "\(operation.displayName) is \(operation.state)", sourceLocation: sourceLocation)
  }
}
