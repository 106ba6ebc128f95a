import Operations
import Testing

/// Operations that wait for a name and are stopped by what they depend on.
@Suite(.timeLimit(.minutes(15))) struct BlockedTests {
  /// How the edge that stops it came about.
  enum Edge: CaseIterable {
    case new, otherPolicy, pending
  }

  private struct Scene {
    let bench = Bench()
    let failing: Held
    let holder: Held
    let stopped: Held
    let next: Held
    let queue: InspectableQueue
    let other: InspectableQueue

    init() {
      (failing, holder) = (bench.held("failing"), bench.held("holder"))
      (stopped, next) = (bench.held("stopped"), bench.held("next"))
      (queue, other) = (bench.queue("one"), bench.queue("two"))
      for operation in [holder, stopped, next] { operation.exclusiveNames = ["db"] }
    }
  }

  @Test(
    "An operation stopped while it waits for a name does not use up the turn of later ones",
    arguments: Edge.allCases, [FailurePolicy.skip, .fail])
  func turn(edge: Edge, policy: FailurePolicy) throws {
    let scene = Scene()
    let (failing, holder, stopped) = (scene.failing, scene.holder, scene.stopped)
    try scene.other.addOperation(holder)
    try #require(holder.waitUntilBegun())
    try failing.startManually()
    switch edge {
    case .new, .pending: break
    case .otherPolicy: try stopped.depend(on: failing, policy: .run)
    }
    if edge != .pending { failing.finish(.failure(TestError())) }
    try scene.queue.addOperations([stopped, scene.next], waitUntilFinished: false)
    if edge == .pending {
      #expect(stopped.waitCodes == ["exclusive holder"])
      try stopped.depend(on: failing, policy: policy)
      failing.finish(.failure(TestError()))
    } else {
      #expect(stopped.waitCodes == ["exclusive holder"])
      try stopped.depend(on: failing, policy: policy)
    }
    finish(stopped)
    #expect(stopped.outcome != .succeeded)
    holder.finish(.success(1))
    try #require(scene.next.waitUntilBegun(), "\(scene.next.waitCodes)")
    scene.next.finish(.success(1))
    drain(scene.queue)
  }

  @Test("The log records when an operation is set aside for a name, and when it returns")
  func logged() throws {
    let scene = Scene()
    let (holder, stopped) = (scene.holder, scene.stopped)
    try scene.other.addOperation(holder)
    try #require(holder.waitUntilBegun())
    try scene.queue.addOperations([stopped, scene.next], waitUntilFinished: false)
    func aside(_ operation: ObservableOperation) -> [String?] {
      operation.engine.log.changes(from: 0, limit: .max).changes.compactMap { change in
        guard case .setAside(let name) = change.event, change.subject == .operation(operation.id)
        else { return nil }
        return .some(name)
      }
    }
    #expect(aside(stopped) == ["db"] && aside(scene.next) == ["db"] && aside(holder).isEmpty)
    stopped.cancel()
    finish(stopped)
    #expect(aside(stopped) == ["db", nil])
    holder.finish(.success(1))
    try #require(scene.next.waitUntilBegun(), "\(scene.next.waitCodes)")
    #expect(aside(scene.next) == ["db", nil])
    scene.next.finish(.success(1))
    drain(scene.queue)
  }

  @Test("Freeing a name is safe after many barriers have passed a stopped operation")
  func afterBarriers() throws {
    let scene = Scene()
    let (failing, holder, stopped) = (scene.failing, scene.holder, scene.stopped)
    try scene.other.addOperation(holder)
    try #require(holder.waitUntilBegun())
    try failing.startManually()
    failing.finish(.failure(TestError()))
    try scene.queue.addOperation(stopped)
    try stopped.depend(on: failing, policy: .skip)
    finish(stopped)
    for _ in 0..<200 {
      try scene.queue.addBarrier(scene.bench.quick("barrier"))
      try drainOrStop(scene.queue)
    }
    holder.finish(.success(1))
    drain(scene.other)
    try scene.queue.addOperation(scene.next)
    try #require(scene.next.waitUntilBegun())
    scene.next.finish(.success(1))
    drain(scene.queue)
  }
}
