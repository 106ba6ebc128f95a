import Dispatch
import Foundation
import Operations
import Testing

/// Our operations on a plain queue of Foundation's, where some people will put them by mistake.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ForeignQueueTests {
  /// Waits for a plain queue, which has no timeout of its own.
  private func drain(
    _ plain: OperationQueue, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isBack = comesBack { plain.waitUntilAllOperationsAreFinished() }
    #expect(isBack, "the plain queue does not end", sourceLocation: sourceLocation)
  }

  @Test("On a Foundation queue operations of every kind run once and end")
  func plainOnly() {
    let bench = Bench()
    let plain = OperationQueue()
    let ran = Gathered<String>()
    let operations: [ObservableOperation] = [
      Plain(name: "main", engine: bench.engine) { ran.add("main") },
      Hooked(name: "execute", engine: bench.engine) { operation in
        ran.add("execute")
        operation.finish(.success(1))
      },
      BlockingOperation(name: "body", engine: bench.engine) { _ in
        ran.add("body")
        return nil
      },
      DelayOperation(name: "delay", duration: .milliseconds(1), engine: bench.engine),
    ]
    for operation in operations { plain.addOperation(operation) }
    drain(plain)
    #expect(operations.allSatisfy { $0.outcome == .succeeded })
    #expect(ran.all.sorted() == ["body", "execute", "main"])
    for operation in operations { #expect(bench.life(operation.displayName).count == 3) }
  }

  @Test("On a Foundation queue an operation runs after its dependency")
  func plainWithDependency() throws {
    let bench = Bench()
    let plain = OperationQueue()
    let (first, second) = (bench.held("first"), bench.quick("second"))
    try second.depend(on: first)
    plain.addOperations([second, first], waitUntilFinished: false)
    try #require(first.waitUntilBegun())
    #expect(second.state == .created)
    first.finish(.success(1))
    drain(plain)
    #expect(bench.started == ["first", "second"])
    #expect(second.outcome == .succeeded)
  }

  @Test("An operation cancelled before a Foundation queue starts it ends without running")
  func cancelledOnPlain() {
    let bench = Bench()
    let plain = OperationQueue()
    plain.isSuspended = true
    let operation = bench.held("a")
    plain.addOperation(operation)
    plain.cancelAllOperations()
    plain.isSuspended = false
    drain(plain)
    #expect(operation.outcome == .cancelled)
    #expect(operation.executions == 0)
  }
}
