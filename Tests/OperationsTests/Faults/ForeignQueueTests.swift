import Dispatch
import Foundation
import Operations
import TestSupport
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

  @Test("On a plain queue alone, operations of every kind run once and end")
  func plainOnly() {
    let bench = Bench()
    let plain = OperationQueue()
    let ran = Gathered<String>()
    let operations: [ObservableOperation] = [
      Plain(name: "main", log: bench.log) { ran.add("main") },
      Hooked(name: "execute", log: bench.log) { operation in
        ran.add("execute")
        operation.finish(.success(1))
      },
      BlockingOperation(name: "body", log: bench.log) { _ in
        ran.add("body")
        return nil
      },
      DelayOperation(name: "delay", duration: .milliseconds(1), log: bench.log),
    ]
    for operation in operations { plain.addOperation(operation) }
    drain(plain)
    #expect(operations.allSatisfy { $0.outcome == .succeeded })
    #expect(ran.all.sorted() == ["body", "execute", "main"])
    for operation in operations { #expect(bench.life(operation.displayName).count == 4) }
  }

  @Test("On a plain queue alone, what waits for another of ours runs after it")
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

  @Test("Cancelled before a plain queue starts it, an operation ends there without running")
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
