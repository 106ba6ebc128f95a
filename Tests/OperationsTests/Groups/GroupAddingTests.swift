import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// Operations of a group that add others, and many things at once.
@Suite(.timeLimit(.minutes(15))) struct GroupAddingTests {
  @Test("Adding a group that would wait for itself is refused with the path")
  func cycles() throws {
    let bench = Bench()
    let (outer, middle, inner) = (bench.group("a"), bench.group("b"), bench.group("c"))
    #expect(throws: QueueError.cycle(path: ["a", "a"])) { try outer.addOperation(outer) }
    try outer.addOperation(middle)
    try middle.addOperation(inner)
    #expect(throws: QueueError.cycle(path: ["a", "b", "c", "a"])) {
      try inner.addOperation(outer)
    }
    #expect(outer.state == .created && outer.waitReasons().map(\.code) == [.notOnQueue])
    let queue = bench.queue()
    try queue.addOperation(outer)
    drain(queue)
    #expect(inner.outcome == .succeeded && outer.outcome == .succeeded)
  }

  @Test("Operations add further operations to their own group, nested")
  func fromInside() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group()
    let depth = TestScale.count(500)
    let count = Locked(0)
    @Sendable func next() -> ObservableOperation {
      let number = count.withLock { count in
        count += 1
        return count
      }
      let add: @Sendable () -> Void = { [unowned group] in
        if number < depth { try? group.addOperation(next()) }
      }
      // Now an asynchronous one, now a blocking one, now one of Foundation's kind.
      switch number % 3 {
      case 0: return Adding(engine: bench.engine, add)
      case 1: return Plain(engine: bench.engine, body: add)
      default:
        return BlockingOperation(engine: bench.engine) { _ in
          add()
          return nil
        }
      }
    }
    try group.addOperation(next())
    try queue.addOperation(group)
    drain(queue)
    #expect(group.outcome == .succeeded)
    #expect(group.summary.succeeded == depth)
    #expect(bench.finished.last == "group")
  }

  /// Adds to the group when it ends, so that the group is never seen without operations.
  private final class Adding: ConcurrentOperation<Int>, @unchecked Sendable {
    // @unchecked because the superclass is; what this class adds is constant.
    private let add: @Sendable () -> Void

    init(engine: OperationEngine, _ add: @escaping @Sendable () -> Void) {
      self.add = add
      super.init(engine: engine) { _ in add() }
    }

    override func execute() { finish(.success(1)) }
  }

  @Test("A completion handler can still add the next operation to the group")
  func completionHandlers() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group()
    let second = bench.quick("second")
    let first = Held(name: "first", engine: bench.engine) { [unowned group] _ in
      try? group.addOperation(second)
    }
    try group.addOperation(first)
    try queue.addOperation(group)
    #expect(first.waitUntilBegun())
    first.finish(.success(1))
    drain(queue)
    #expect(bench.finished.count == 3 && bench.finished.last == "group")
    #expect(group.summary.succeeded == 2)
  }

  @Test("A group finishes once after three operations that finish together")
  func threeTogether() throws {
    for _ in 0..<TestScale.count(400) {
      let bench = Bench()
      let queue = bench.queue()
      let group = bench.group()
      let children = (0..<3).map { bench.held("op-\($0)") }
      try group.addOperations(children)
      try queue.addOperation(group)
      race(
        children.map { child in
          {
            if child.waitUntilBegun() { child.finish(.success(1)) }
          }
        })
      drain(queue)
      #expect(bench.finished.count == 4)
      #expect(bench.finished.last == "group")
      #expect(group.summary.succeeded == 3)
    }
  }

  @Test("An operation added while the last one finishes joins the group or is refused")
  func addAgainstEnd() throws {
    let outcomes = Locked((joined: 0, refused: 0))
    for _ in 0..<TestScale.count(500) {
      let bench = Bench()
      let queue = bench.queue()
      let (group, child, late) = (bench.group(), bench.held("child"), bench.quick("late"))
      try group.addOperation(child)
      try queue.addOperation(group)
      race([
        { if child.waitUntilBegun() { child.finish(.success(1)) } },
        {
          do throws(QueueError) {
            try group.addOperation(late)
            outcomes.withLock { $0.joined += 1 }
          } catch {
            #expect(error.code == "group-finished")
            outcomes.withLock { $0.refused += 1 }
          }
        },
      ])
      drain(queue)
      #expect(group.outcome == .succeeded)
      #expect(bench.finished.last == "group")
      #expect(late.state == (group.summary.succeeded == 2 ? .finished : .created))
    }
    #expect(outcomes.withLock { $0.joined + $0.refused } == TestScale.count(500))
  }

  @Test("Nested groups finish from the innermost to the outermost")
  func nested() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let depth = TestScale.count(300)
    let outermost = bench.group("g-0")
    var innermost = outermost
    for level in 1..<depth {
      let next = bench.group("g-\(level)", width: 1)
      try innermost.addOperation(next)
      innermost = next
    }
    let child = bench.held("child")
    try innermost.addOperation(child)
    try queue.addOperation(outermost)
    #expect(child.waitUntilBegun())
    #expect(outermost.state == .executing)
    child.finish(.success(1))
    drain(queue)
    #expect(bench.finished == ["child"] + (0..<depth).reversed().map { "g-\($0)" })
  }

  @Test("Deeply nested groups end, are cancelled and are released without recursion")
  func deepNesting() throws {
    let depth = TestScale.count(3_000)
    for way in ["end", "cancel", "cancel-unrun", "drop"] {
      let done = Gate()
      let census = Census()
      // A small stack, so that a recursion of any depth shows.
      let thread = Thread {
        Self.nest(depth: depth, way: way, census: census)
        done.open()
      }
      thread.stackSize = 256 * 1024
      thread.start()
      #expect(done.pass(), "\(way)")
      #expect(eventually { census.count == 0 }, "\(way): \(census.count)")
    }
  }

  private static func nest(depth: Int, way: String, census: Census) {
    let bench = Bench()
    let outermost = bench.group()
    var innermost = outermost
    for _ in 1..<depth {
      let next = bench.group()
      try? innermost.addOperation(next)
      innermost = next
    }
    let child = Keeping(census, engine: bench.engine)
    try? innermost.addOperation(child)
    if way == "drop" { return }
    if way == "cancel-unrun" { outermost.cancel() }
    let queue = bench.queue()
    try? queue.addOperation(outermost)
    if way != "cancel-unrun" { #expect(child.waitUntilBegun()) }
    if way == "end" { child.finish(.success(1)) }
    if way == "cancel" { outermost.cancel() }
    drain(queue)
    #expect(child.outcome == (way == "end" ? .succeeded : .cancelled))
    #expect(outermost.outcome == (way == "end" ? .succeeded : .cancelled))
  }

  @Test("Dependencies work between operations inside and outside a group")
  func acrossBorders() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let (before, after) = (bench.held("before"), bench.quick("after"))
    let (one, two) = (bench.quick("one"), bench.quick("two"))
    let group = bench.group()
    try one.depend(on: before)
    try two.depend(on: one)
    try after.depend(on: two)
    try group.addOperations([two, one])
    try queue.addOperations([after, group, before], waitUntilFinished: false)
    #expect(before.waitUntilBegun())
    #expect(one.waitCodes.first == "dependency before")
    before.finish(.success(1))
    drain(queue)
    #expect(bench.started == ["group", "before", "one", "two", "after"])
  }

  @Test("An operation that waits for its own group reports a deadlock")
  func deadlock() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let (group, child) = (bench.group(), bench.held("child"))
    let outside = bench.held("outside")
    try outside.depend(on: group)
    try child.depend(on: outside)
    try group.addOperation(child)
    try queue.addOperations([group, outside], waitUntilFinished: false)
    #expect(group.state == .executing)
    #expect(child.waitReasons().map(\.code).contains(.deadlock), "\(child.waitCodes)")
    child.cancel()
    #expect(outside.waitUntilBegun())
    outside.finish(.success(1))
    drain(queue)
  }
}
