import Foundation
import Operations
import Testing

/// What begins on the thread that finished another operation and had nothing to do afterwards.
@Suite(.timeLimit(.minutes(15))) struct LentThreadTests {
  /// Begins on whatever thread, and ends when the test says so.
  private final class Brief: ConcurrentOperation<Int>, @unchecked Sendable {
    // @unchecked because the superclass is; what this class adds is constant.
    private let onExecute: @Sendable (Brief) -> Void

    init(engine: OperationEngine, onExecute: @escaping @Sendable (Brief) -> Void) {
      self.onExecute = onExecute
      super.init(kind: "brief", engine: engine)
    }

    override var beginsBriefly: Bool { true }

    override func execute() { onExecute(self) }
  }

  /// Finishes an operation on a thread of its own, as a transport's thread would.
  ///
  /// - Returns: The thread, once it is done. No other one gets its address while it is kept.
  private func finishElsewhere(_ operation: Brief) -> Thread? {
    let done = Gate()
    let thread = Thread {
      operation.finishLendingThread(.success(1))
      done.open()
    }
    thread.start()
    return done.pass() ? thread : nil
  }

  private func threads(of next: (Bench, Gathered<ObjectIdentifier>, Gate) -> ObservableOperation)
    throws -> (lent: Thread, used: [ObjectIdentifier])
  {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (threads, began, ran) = (Gathered<ObjectIdentifier>(), Gate(), Gate())
    let first = Brief(engine: bench.engine) { _ in began.open() }
    try queue.addOperation(first)
    try queue.addOperation(next(bench, threads, ran))
    #expect(began.pass())
    let lent = try #require(finishElsewhere(first))
    #expect(ran.pass())
    drain(queue)
    return (lent, threads.all)
  }

  @Test("An operation whose start does not block begins on the lent thread")
  func brief() throws {
    let (lent, used) = try threads { bench, threads, ran in
      Brief(engine: bench.engine) { operation in
        threads.add(ObjectIdentifier(Thread.current))
        operation.finish(.success(2))
        ran.open()
      }
    }
    #expect(used == [ObjectIdentifier(lent)])
  }

  @Test("A blocking body does not begin on the lent thread")
  func body() throws {
    let (lent, used) = try threads { bench, threads, ran in
      Plain(engine: bench.engine) {
        threads.add(ObjectIdentifier(Thread.current))
        ran.open()
      }
    }
    #expect(used.count == 1 && used != [ObjectIdentifier(lent)])
  }

  @Test("Ten thousand operations that end at their start do not overflow the lent stack")
  func depth() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let count = 10_000
    let began = Gate()
    let first = Brief(engine: bench.engine) { _ in began.open() }
    let others = (1..<count).map { _ in
      Brief(engine: bench.engine) { $0.finishLendingThread(.success(0)) }
    }
    try queue.addOperations([first] + others, waitUntilFinished: false)
    #expect(began.pass())
    #expect(finishElsewhere(first) != nil)
    drain(queue)
    #expect(others.allSatisfy { $0.outcome == .succeeded })
  }

  @Test("Operations of another queue or a suspended queue do not begin on the lent thread")
  func onlyTheOwnQueue() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(width: 1), bench.queue(width: 1))
    let (threads, began) = (Gathered<ObjectIdentifier>(), Gate())
    let first = Brief(engine: bench.engine) { _ in began.open() }
    let follower = Brief(engine: bench.engine) { operation in
      threads.add(ObjectIdentifier(Thread.current))
      operation.finish(.success(2))
    }
    try follower.depend(on: first)
    let held = Brief(engine: bench.engine) { $0.finish(.success(3)) }
    try queue.addOperation(first)
    try other.addOperation(follower)
    #expect(began.pass())
    queue.isSuspended = true
    try queue.addOperation(held)
    let lent = try #require(finishElsewhere(first))
    drain(other)
    #expect(threads.all.count == 1 && threads.all != [ObjectIdentifier(lent)])
    #expect(held.state == .ready)
    queue.isSuspended = false
    drain(queue)
    #expect(held.outcome == .succeeded)
  }
}
