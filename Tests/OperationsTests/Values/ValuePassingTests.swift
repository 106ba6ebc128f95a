import Foundation
import Operations
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ValuePassingTests {
  private final class Text: ConcurrentOperation<String>, @unchecked Sendable {
    // @unchecked because the superclass is; what this class adds is constant.
    private let text: String

    init(_ text: String, engine: OperationEngine) {
      self.text = text
      super.init(name: text, engine: engine)
    }

    override func execute() { finish(.success(text)) }
  }

  @Test("Values of any type are passed before the body, in the order of the dependencies")
  func beforeTheBody() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let taken = Gathered<String>()
    let (text, number) = (Text("text", engine: bench.engine), bench.held("number"))
    let pause = DelayOperation(name: "pause", duration: .milliseconds(1), engine: bench.engine)
    let body = BlockingOperation(name: "body", engine: bench.engine) { _ in
      taken.add("body")
      return nil
    }
    let plain = Plain(name: "plain", engine: bench.engine) { taken.add("plain") }
    try body.depend(on: number) { taken.add("number \($0)") }
    try body.depend(on: text) { taken.add($0) }
    try body.depend(on: pause) { _ in taken.add("void") }
    try plain.depend(on: text) { taken.add($0 + "!") }
    try plain.depend(on: body)
    try queue.addOperations([plain, body, text, number, pause], waitUntilFinished: false)
    finish(text)
    #expect(taken.all.isEmpty)
    number.finish(.success(7))
    drain(queue)
    #expect(taken.all == ["number 7", "text", "void", "body", "text!", "plain"])
  }

  @Test("Values are passed on the body's thread, without a lock, as part of the operation")
  func onTheThread() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (upstream, threads) = (bench.quick("upstream"), Gathered<ObjectIdentifier>())
    let body = BlockingOperation(name: "body", engine: bench.engine) { _ in
      threads.add(ObjectIdentifier(Thread.current))
      return nil
    }
    try body.depend(on: upstream) { [unowned body] _ in
      threads.add(ObjectIdentifier(Thread.current))
      // This would hang if a lock were held.
      _ = (body.state, body.waitReasons(), queue.snapshot)
      body.progress = 0.5
    }
    try queue.addOperations([body, upstream], waitUntilFinished: true)
    #expect(threads.all.count == 2 && Set(threads.all).count == 1)
  }

  @Test("Asynchronous operations, groups and operations started by hand also receive values")
  func allKinds() throws {
    let bench = Bench()
    let queue = bench.queue()
    let taken = Gathered<String>()
    let (upstream, held) = (bench.quick("upstream"), bench.quick("held"))
    let (group, byHand) = (bench.group(), bench.quick("hand"))
    for operation in [held, group, byHand] as [ObservableOperation] {
      let name = operation.displayName
      try operation.depend(on: upstream) { _ in taken.add(name) }
    }
    try queue.addOperations([held, group, upstream], waitUntilFinished: true)
    #expect(byHand.isReady)
    try byHand.startManually()
    #expect(taken.all.sorted() == ["group", "hand", "held"])
  }

  @Test("An unsuccessful dependency passes no value; its failure policy decides")
  func unsuccessful() throws {
    let bench = Bench()
    let queue = bench.queue(width: 8)
    let taken = Gathered<String>()
    let (failed, cancelled, early) = (bench.held("failed"), bench.held("gone"), bench.held("early"))
    var dependents: [String: Quick] = [:]
    for upstream in [failed, cancelled, early] {
      for policy in [FailurePolicy.run, .skip, .fail] {
        let name = "\(policy.rawValue) \(upstream.displayName)"
        let dependent = bench.quick(name)
        try dependent.depend(on: upstream, policy: policy) { _ in taken.add(name) }
        dependents[name] = dependent
      }
    }
    // It is cancelled before it could use its slot.
    early.cancel()
    try queue.addOperations(Array(dependents.values), waitUntilFinished: false)
    try queue.addOperations([failed, cancelled, early], waitUntilFinished: false)
    #expect(failed.waitUntilBegun() && cancelled.waitUntilBegun())
    failed.finish(.failure(TestError()))
    cancelled.cancel()
    drain(queue)
    #expect(taken.all.isEmpty)
    for name in ["failed", "gone", "early"] {
      #expect(dependents["run \(name)"]?.outcome == .succeeded)
      #expect(dependents["skip \(name)"]?.outcome == .skipped)
      #expect(dependents["fail \(name)"]?.outcome?.failure?.code == "dependency-failed")
    }
  }

  @Test("The default failure policy of a dependency with a value is skip")
  func defaultPolicy() throws {
    let bench = Bench()
    let (upstream, operation) = (bench.held("upstream"), bench.quick("a"))
    try operation.depend(on: upstream) { _ in }
    #expect(operation.upstream.map(\.policy) == [.skip])
  }

  @Test("A dependency that has finished already passes its value")
  func finishedBefore() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (upstream, taken) = (bench.quick("upstream"), Gathered<Int>())
    try queue.addOperations([upstream], waitUntilFinished: true)
    let operation = bench.quick("a")
    try operation.depend(on: upstream) { taken.add($0) }
    try queue.addOperations([operation], waitUntilFinished: true)
    #expect(taken.all == [upstream.id])
  }

  @Test("A removed dependency passes no value")
  func removed() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (one, two, taken) = (bench.quick("one"), bench.quick("two"), Gathered<Int>())
    let operation = bench.quick("a")
    try operation.depend(on: one) { taken.add($0) }
    try operation.depend(on: two) { taken.add($0) }
    try queue.addOperations([one, two, operation], waitUntilFinished: false)
    try operation.removeDependency(on: one)
    queue.isSuspended = false
    drain(queue)
    #expect(taken.all == [two.id])
  }

  @Test("After removals from many dependencies the others pass their values in order")
  func removedFromMany() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let taken = Gathered<Int>()
    let upstreams = (0..<100).map { bench.quick("u\($0)") }
    let (late, operation) = (bench.quick("late"), bench.quick("a"))
    for upstream in upstreams { try operation.depend(on: upstream) { taken.add($0) } }
    // One that is asked for twice gives its value twice.
    try operation.depend(on: upstreams[3]) { taken.add(-$0) }
    try operation.depend(on: upstreams[4]) { taken.add(-$0) }
    for position in stride(from: 0, to: 100, by: 2) {
      try operation.removeDependency(on: upstreams[position])
    }
    try operation.depend(on: late) { taken.add($0) }
    try operation.depend(on: upstreams[0]) { taken.add($0) }
    try queue.addOperations(upstreams + [late, operation], waitUntilFinished: false)
    queue.isSuspended = false
    drain(queue)
    let odd = stride(from: 1, to: 100, by: 2).map { upstreams[$0].id }
    #expect(taken.all == odd + [-upstreams[3].id, late.id, upstreams[0].id])
  }

  @Test("A refused dependency passes no value")
  func refused() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (one, two, taken) = (bench.held("one"), bench.held("two"), Gathered<Int>())
    try two.depend(on: one)
    #expect(throws: DependencyError.self) { try one.depend(on: two) { taken.add($0) } }
    #expect(throws: DependencyError.self) { try one.depend(on: one) { taken.add($0) } }
    try queue.addOperation(one)
    #expect(one.waitUntilBegun())
    #expect(throws: DependencyError.self) { try one.depend(on: bench.quick("x")) { taken.add($0) } }
    one.finish(.success(1))
    try queue.addOperation(two)
    two.finish(.success(2))
    drain(queue)
    #expect(taken.all.isEmpty)
  }

  @Test("A dependency added while it ends always passes its value")
  func lateDependency() throws {
    for _ in 0..<TestScale.count(400) {
      let bench = Bench()
      let queue = bench.queue()
      let (upstream, taken) = (bench.held("upstream"), Gathered<Int>())
      let operation = bench.quick("a")
      let refused = Gathered<Bool>()
      try queue.addOperation(upstream)
      #expect(upstream.waitUntilBegun())
      race([
        { upstream.finish(.success(5)) },
        {
          do { try operation.depend(on: upstream) { taken.add($0) } } catch { refused.add(true) }
        },
        { try? queue.addOperation(operation) },
      ])
      drain(queue)
      #expect(operation.outcome == .succeeded)
      #expect(taken.all == (refused.all.isEmpty ? [5] : []))
    }
  }

  @Test("Values are passed once, also if the operation is retried")
  func onlyOnce() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (upstream, taken) = (bench.quick("upstream"), Gathered<Int>())
    let operation = BlockingOperation(name: "a", engine: bench.engine) { operation in
      if operation.attempts < 3 { throw TestError() }
      return nil
    }
    operation.retryPolicy = RetryPolicy(limit: 5, backoff: .zero)
    try operation.depend(on: upstream) { taken.add($0) }
    try queue.addOperations([operation, upstream], waitUntilFinished: true)
    #expect(operation.attempts == 3)
    #expect(taken.all == [upstream.id])
  }

  @Test("A value handler is released after its call, or when it can no longer be called")
  func release() throws {
    let bench = Bench()
    let queue = bench.queue()
    let census = Census()
    let (upstream, failed) = (bench.quick("upstream"), bench.held("failed"))
    failed.finish(.failure(TestError()))
    var kept: [Quick] = []
    for other in [upstream, failed, upstream] as [ConcurrentOperation<Int>] {
      let (operation, resident) = (bench.quick("a"), census.resident())
      try operation.depend(on: other) { _ in withExtendedLifetime(resident) {} }
      kept.append(operation)
    }
    kept[2].cancel()
    do {
      // Even if it captures the operation itself, as long as that ends.
      let (operation, resident) = (bench.quick("self"), census.resident())
      try operation.depend(on: upstream) { _ in withExtendedLifetime((operation, resident)) {} }
      try queue.addOperation(operation)
    }
    let (changing, resident) = (bench.quick("changing"), census.resident())
    try changing.depend(on: upstream) { _ in withExtendedLifetime(resident) {} }
    try changing.removeDependency(on: upstream)
    #expect(census.count <= 5)
    try queue.addOperations(kept + [upstream, failed], waitUntilFinished: true)
    drain(queue)
    withExtendedLifetime(resident) {}
    #expect(kept.map(\.outcome) == [.succeeded, .skipped, .cancelled])
    #expect(eventually { census.count <= 1 })
  }
}
