import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// What holds for the observers of whichever property, run with every case of every property.
@Suite(.timeLimit(.minutes(15))) struct ObservationRulesTests {
  /// An operation or a queue that is about to change in one property, once.
  fileprivate struct Scene {
    let property: String
    /// Observes a property; the handler is told whether it is the call before the change.
    let observe:
      (String, ObservationOptions, @escaping @Sendable (Bool) -> Void) throws -> ObservationToken
    /// Another property, and what changes it.
    let other: String
    let changeOther: @Sendable () -> Void
    let act: () throws -> Void
    let end: () -> Void
  }

  struct Case: Sendable, CustomTestStringConvertible {
    fileprivate let scene: @Sendable () throws -> Scene
    let testDescription: String
  }

  private static let ofOperations = ObservationPropertyTests.cases.map { example in
    Case(
      scene: {
        let scene = try example.scene(Bench())
        let operation = scene.operation
        let isPriority = example.property == "queuePriority"
        return Scene(
          property: example.property,
          observe: { name, options, handler in
            try #require(
              operation.observe(named: name, options: options) { _, change in
                handler(change.isPrior)
              })
          },
          other: isPriority ? "qualityOfService" : "queuePriority",
          changeOther: {
            if isPriority {
              operation.qualityOfService = .background
            } else {
              operation.queuePriority = .veryLow
            }
          }, act: scene.act, end: scene.end)
      }, testDescription: example.testDescription)
  }

  private static let ofQueues = ObservationQueueTests.cases.map { example in
    Case(
      scene: {
        let bench = Bench()
        let queue = bench.queue()
        try example.prepare(bench, queue)
        let isWidth = example.property == "maxConcurrentOperationCount"
        return Scene(
          property: example.property,
          observe: { name, options, handler in
            try #require(
              queue.observe(named: name, options: options) { _, change in
                handler(change.isPrior)
              })
          },
          other: isWidth ? "isSuspended" : "maxConcurrentOperationCount",
          changeOther: {
            if isWidth { queue.isSuspended.toggle() } else { try? queue.setWidth(7) }
          },
          act: { try example.act(bench, queue) },
          end: {
            queue.maxConcurrentOperationCount = 2
            queue.cancelAllOperations()
            queue.isSuspended = false
            drain(queue)
          })
      }, testDescription: "queue, " + example.testDescription)
  }

  static let cases: [Case] = ofOperations + ofQueues

  /// Notes a call, and says whether it is the first of its kind: what follows when all comes to its
  /// end are other changes.
  private static func note(_ call: String, in calls: Gathered<String>) {
    if !calls.all.contains(call) { calls.add(call) }
  }

  @Test(
    "Observers are called in the order of adding, before the change and after it",
    arguments: cases)
  func order(_ example: Case) throws {
    let scene = try example.scene()
    let calls = Gathered<String>()
    let tokens = try (1...3).map { index in
      try scene.observe(scene.property, [.prior]) { isPrior in
        Self.note("\(index) \(isPrior ? "before" : "after")", in: calls)
      }
    }
    try scene.act()
    let expected = ["before", "after"].flatMap { word in (1...3).map { "\($0) \(word)" } }
    #expect(eventually { calls.all.count >= expected.count })
    scene.end()
    #expect(calls.all == expected)
    withExtendedLifetime(tokens) {}
  }

  @Test(
    "An observer removed by an earlier one, or by itself, is not called",
    arguments: cases, [true, false])
  func removal(_ example: Case, beforeTheChange: Bool) throws {
    let scene = try example.scene()
    let calls = Gathered<String>()
    let tokens = Locked<[String: ObservationToken]>([:])
    let options: ObservationOptions = beforeTheChange ? [.prior] : []
    let first = try scene.observe(scene.property, options) { isPrior in
      calls.add("first")
      let removed = tokens.withLock { tokens in
        defer { tokens = [:] }
        return tokens
      }
      for token in removed.values { token.invalidate() }
    }
    let second = try scene.observe(scene.property, options) { _ in calls.add("second") }
    let third = try scene.observe(scene.property, []) { _ in Self.note("third", in: calls) }
    tokens.withLock { $0 = ["first": first, "second": second] }
    try scene.act()
    #expect(eventually { calls.all.contains("third") })
    scene.end()
    #expect(calls.all == ["first", "third"])
    withExtendedLifetime(third) {}
  }

  @Test("A token that another thread drops during a call ends the observation", arguments: cases)
  func droppedElsewhere(_ example: Case) throws {
    let scene = try example.scene()
    let calls = Gathered<String>()
    let token = Locked<ObservationToken?>(nil)
    do {
      let observed = try scene.observe(scene.property, [.prior]) { isPrior in
        calls.add(isPrior ? "before" : "after")
        let dropped = DispatchSemaphore(value: 0)
        Thread {
          token.withLock { $0 = nil }
          dropped.signal()
        }.start()
        #expect(dropped.wait(timeout: .now() + 60) == .success)
      }
      token.withLock { $0 = observed }
    }
    let last = try scene.observe(scene.property, []) { _ in Self.note("last", in: calls) }
    try scene.act()
    #expect(eventually { calls.all.contains("last") })
    scene.end()
    #expect(calls.all == ["before", "last"])
    withExtendedLifetime(last) {}
  }

  @Test(
    "A change made by an observer is reported after all have received the current one",
    arguments: cases)
  func nested(_ example: Case) throws {
    let scene = try example.scene()
    let calls = Gathered<String>()
    let change = scene.changeOther
    let tokens = try [
      scene.observe(scene.property, []) { _ in
        // Only the change that the case is about; what follows at the end are others.
        guard !calls.all.contains("first begins") else { return }
        calls.add("first begins")
        change()
        calls.add("first ends")
      },
      scene.observe(scene.other, []) { _ in Self.note("other", in: calls) },
      scene.observe(scene.property, []) { _ in Self.note("second", in: calls) },
    ]
    try scene.act()
    #expect(eventually { calls.all.count >= 4 })
    scene.end()
    #expect(calls.all == ["first begins", "first ends", "second", "other"])
    withExtendedLifetime(tokens) {}
  }
}
