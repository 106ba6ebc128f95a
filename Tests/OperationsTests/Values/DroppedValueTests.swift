import OpshLocking
import Operations
import TestSupport
import Testing

@Suite("Dropped values", .timeLimit(.minutes(15))) struct DroppedValueTests {
  private final class Tracked: Sendable {
    private let isAlive: Locked<Bool>
    init(_ isAlive: Locked<Bool>) {
      self.isAlive = isAlive
      isAlive.withLock { $0 = true }
    }
    deinit { isAlive.withLock { $0 = false } }
  }

  private final class Giver: ConcurrentOperation<Tracked>, @unchecked Sendable {
    // @unchecked because the superclass is; what this class adds is constant.
    private let isAlive: Locked<Bool>
    init(_ isAlive: Locked<Bool>, engine: OperationEngine) {
      self.isAlive = isAlive
      super.init(name: "giver", engine: engine)
    }
    override func execute() { finish(.success(Tracked(isAlive))) }
  }

  @Test("Dropping the value of a finished operation frees it; the outcome stays")
  func concurrent() throws {
    let bench = Bench()
    let isAlive = Locked(false)
    let operation = Giver(isAlive, engine: bench.engine)
    #expect(operation.dropValue() == 0)
    #expect(!operation.isValueDropped, "it has no value yet")
    try bench.queue().addOperations([operation], waitUntilFinished: true)
    #expect(operation.dropValue() == 0)
    // The thread that finished it may still hold it for a moment.
    #expect(eventually { !isAlive.withLock { $0 } })
    #expect(operation.isValueDropped && operation.resultValue == nil)
    #expect(operation.outcome == .succeeded)
    #expect(throws: OperationError.valueDropped(name: "giver")) { try operation.result?.get() }
  }

  @Test("A blocking operation frees what its body returned")
  func blocking() throws {
    let bench = Bench()
    let isAlive = Locked(false)
    let operation = BlockingOperation(engine: bench.engine) { _ in Tracked(isAlive) }
    try bench.queue().addOperations([operation], waitUntilFinished: true)
    #expect(isAlive.withLock { $0 })
    operation.dropValue()
    #expect(eventually { !isAlive.withLock { $0 } })
    #expect(operation.resultValue == nil)
  }

  @Test("Dropping the value keeps an error")
  func failure() throws {
    let bench = Bench()
    let operation = bench.held("op")
    operation.finish(.failure(TestError()))
    try bench.queue().addOperations([operation], waitUntilFinished: true)
    operation.dropValue()
    #expect(throws: TestError.self) { try operation.result?.get() }
  }

  @Test("A value stays while an unfinished operation depends on it, held or queued")
  func needed() throws {
    let bench = Bench()
    let (operation, taken) = (bench.quick("a"), Gathered<Int>())
    let users = (1...20).map { bench.held("user-\($0)") }
    for user in users { try user.depend(on: operation) { taken.add($0) } }
    let queue = bench.queue(width: 30)
    try queue.addOperations([operation], waitUntilFinished: true)
    #expect(operation.dropValue() == 20)
    #expect(!operation.isValueDropped)
    try queue.addOperations(users, waitUntilFinished: false)
    for user in users { #expect(user.waitUntilBegun()) }
    for user in users.dropLast() { user.finish(.success(1)) }
    for user in users.dropLast() { user.waitUntilFinished() }
    #expect(operation.dropValue() == 1)
    users.last?.finish(.success(1))
    drain(queue)
    #expect(taken.all == Array(repeating: operation.id, count: 20))
    #expect(operation.dropValue() == 0)
    #expect(operation.isValueDropped)
  }

  @Test("A dropped value cannot be passed on, and no dependent runs without it")
  func tooLate() throws {
    let bench = Bench()
    let (operation, user) = (bench.quick("a"), bench.held("user"))
    try bench.queue().addOperations([operation], waitUntilFinished: true)
    operation.dropValue()
    #expect(throws: DependencyError.valueDropped(name: "user", other: "a")) {
      try user.depend(on: operation) { _ in }
    }
    #expect(user.upstream.isEmpty)
    try user.depend(on: operation)
    #expect(user.upstream.count == 1, "without the value it may wait")
  }
}
