import Foundation
import OpshLocking
import Operations
import Synchronization
import TestSupport
import Testing

/// In which order observers hear of what several threads do.
@Suite(.timeLimit(.minutes(15))) struct ObservationOrderTests {
  @Test("Changes by many threads are reported as one chain, the same to all observers")
  func chain() {
    let operation = Held(name: "a", engine: OperationEngine())
    typealias Step = (old: Double?, new: Double?)
    let heard = (0..<3).map { _ in Gathered<Step>() }
    let underWay = Atomic(0)
    let overlaps = Atomic(0)
    let tokens = heard.map { heard in
      operation.observe(\.progress, options: [.old, .new]) { _, change in
        if underWay.wrappingAdd(1, ordering: .relaxed).oldValue != 0 {
          overlaps.wrappingAdd(1, ordering: .relaxed)
        }
        heard.add((change.oldValue ?? nil, change.newValue ?? nil))
        underWay.wrappingSubtract(1, ordering: .relaxed)
      }
    }
    let threads = 8
    let steps = TestScale.count(200)
    race(
      (0..<threads).map { thread in
        {
          for step in 0..<steps {
            operation.progress = Double(step * threads + thread) / Double(steps * threads)
          }
        }
      })
    #expect(eventually { !operation.engine.isDelivering })
    let chain = heard[0].all
    // Every value was set once, so that each of them is a change.
    #expect(chain.count == threads * steps)
    #expect(chain.first?.old == .some(nil))
    #expect(chain.last?.new == operation.progress)
    #expect(zip(chain, chain.dropFirst()).allSatisfy { $0.new == $1.old })
    for other in heard.dropFirst() {
      #expect(other.all.map(\.new) == chain.map(\.new))
    }
    // Calls about one operation never run at the same time.
    #expect(overlaps.load(ordering: .relaxed) == 0)
    for token in tokens { token.invalidate() }
  }

  @Test("Each change of a property by many threads has a prior call before it")
  func priorCalls() {
    let operation = Held(name: "a", engine: OperationEngine())
    let told = Gathered<Bool>()
    let token = operation.observe(\.progress, options: [.prior]) { _, change in
      told.add(change.isPrior)
    }
    let threads = 4
    let steps = TestScale.count(100)
    race(
      (0..<threads).map { thread in
        {
          for step in 0..<steps {
            operation.progress = Double(step * threads + thread) / Double(steps * threads)
          }
        }
      })
    #expect(eventually { !operation.engine.isDelivering })
    var priors = 0
    var changes = 0
    for isPrior in told.all {
      if isPrior { priors += 1 } else { changes += 1 }
      #expect(changes <= priors)
    }
    #expect(priors == threads * steps)
    #expect(changes == threads * steps)
    token.invalidate()
  }

  @Test("The changes of one cancel are reported in the order in which they happened")
  func cancelOrder() throws {
    let bench = Bench()
    let (first, second) = (bench.held("first"), bench.held("second"))
    try second.depend(on: first)
    let told = Gathered<String>()
    let tokens = ["isReady", "isCancelled"].compactMap { name in
      second.observe(named: name, options: [.prior]) { _, change in
        told.add("\(name)\(change.isPrior ? " soon" : "")")
      }
    }
    second.cancel()
    #expect(told.all == ["isCancelled soon", "isReady soon", "isCancelled", "isReady"])
    for token in tokens { token.invalidate() }
  }

  @Test("Observers of one operation are called in the order of its changes")
  func lives() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let told = Gathered<String>()
    var tokens: [ObservationToken] = []
    for index in 0..<400 {
      let operation = bench.quick("op-\(index)")
      for name in ["isExecuting", "isFinished"] {
        let token = operation.observe(named: name, options: [.new]) { operation, change in
          if case .boolean(let value) = change.newValue {
            told.add("\(operation.displayName) \(name) \(value)")
          }
        }
        tokens.append(try #require(token))
      }
      try queue.addOperation(operation)
    }
    drain(queue)
    #expect(eventually { !bench.engine.isDelivering })
    for token in tokens { token.invalidate() }
    var lives: [Substring: [Substring]] = [:]
    for line in told.all {
      let words = line.split(separator: " ", maxSplits: 1)
      lives[words[0], default: []].append(words[1])
    }
    #expect(lives.count == 400)
    let whole: [Substring] = ["isExecuting true", "isExecuting false", "isFinished true"]
    #expect(lives.values.allSatisfy { $0 == whole })
  }

  @Test("The initial call comes first, also while other threads change the property")
  func initialFirst() {
    let operation = Held(name: "a", engine: OperationEngine())
    for _ in 0..<TestScale.count(300) {
      let told = Gathered<(Bool, Double?)>()
      let box = Locked<ObservationToken?>(nil)
      operation.progress = 0
      race([
        { for step in 1...5 { operation.progress = Double(step) / 5 } },
        {
          let token = operation.observe(\.progress, options: [.initial, .new]) { _, change in
            told.add((change.isInitial, change.newValue ?? nil))
          }
          box.withLock { $0 = token }
        },
      ])
      let values = told.all
      #expect(values.first?.0 == true)
      #expect(values.filter(\.0).count == 1)
      // No change between the initial value and the last one is missing.
      let steps = values.compactMap(\.1)
      #expect(steps == steps.sorted())
      #expect(steps.last == 1)
      #expect(Double(steps.count - 1) == ((1 - (steps.first ?? 0)) * 5).rounded())
    }
  }

  @Test("The wake-up handler is called after the observers")
  func wakeUp() {
    let engine = OperationEngine()
    let operation = Held(name: "a", engine: engine)
    let seen = Gathered<Bool>()
    let token = operation.observe(\.progress) { operation, _ in
      seen.add(operation.engine.isDelivering)
    }
    engine.log.setWakeUp { seen.add(engine.isDelivering) }
    #expect(!engine.isDelivering)
    operation.progress = 0.5
    // In the call it is being told; in the wake-up nothing is left.
    #expect(seen.all == [true, false])
    engine.log.setWakeUp(nil)
    operation.progress = 1
    #expect(seen.all == [true, false, true])
    token.invalidate()
  }
}
