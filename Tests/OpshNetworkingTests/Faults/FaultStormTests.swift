import Foundation
import OpshLocking
import Operations
import PracticeServer
import TestSupport
import Testing

@Suite("Many requests with many faults and cancellations", .timeLimit(.minutes(15)))
struct FaultStormTests {
  /// Counts the outcomes of the operations of a storm.
  private final class Tally: Sendable {
    private struct State {
      var completions: [Int: Int] = [:]
      var outcomes: [String: Int] = [:]
      var left = 0
    }

    private let state = Locked(State())
    let done = Promise<Bool>()

    init(expecting count: Int) { state.withLock { $0.left = count } }

    func completed(_ index: Int) {
      state.withLock { $0.completions[index, default: 0] += 1 }
    }

    func finished(_ operation: ObservableOperation) {
      let name = operation.outcome.map(Self.family) ?? "none"
      let isLast = state.withLock { state in
        state.outcomes[name, default: 0] += 1
        state.left -= 1
        return state.left == 0
      }
      if isLast { done.fulfil(true) }
    }

    /// `failed` with the code, without its number.
    private static func family(_ outcome: OperationOutcome) -> String {
      guard case .failed(let failure) = outcome else { return outcome.name }
      return String(failure.code.prefix { $0 != "(" })
    }

    var outcomes: [String: Int] { state.withLock { $0.outcomes } }
    var completions: [Int: Int] { state.withLock { $0.completions } }
  }

  /// Observes the end of an operation without retaining it.
  private struct Watched {
    weak var operation: ObservableOperation?
    let token: ObservationToken
  }

  private func watch(_ operation: ObservableOperation, _ tally: Tally) -> Watched {
    let token = operation.observe(\.isFinished, options: [.new]) { operation, change in
      if change.newValue == true { tally.finished(operation) }
    }
    return Watched(operation: operation, token: token)
  }

  /// Every fault at 20 %, with durations suitable for a storm.
  private static func everyFault() throws -> [Fault] {
    try Fault.Kind.all.filter { $0.name != "status-NNN" }.map { kind in
      let duration: Duration? =
        switch kind.name {
        case "latency": .milliseconds(5)
        case "throttle", "backoff": .seconds(1)
        default: nil
        }
      return try Fault(kind.name, percent: 20, duration: duration)
    } + ["status-404", "status-429", "status-503"].map { try Fault($0, percent: 20) }
  }

  @Test("Concurrent requests under all faults each end once and leak nothing")
  func mixedFaults() async throws {
    let count = TestScale.count(300, long: 10_000)
    let batch = 100
    let client = try PracticeClient(seed: 5, width: 16)
    let port = try #require(client.server.port)
    let faults = try Self.everyFault()
    // On a slow machine a short timeout would be the only failure.
    let timeout = Duration.milliseconds(TestScale.isSanitized ? 3_000 : 300)
    var random = SystemRandomNumberGenerator()
    let all = Tally(expecting: count)
    var watched: [Watched] = []
    for first in stride(from: 0, to: count, by: batch) {
      // The first of several matching faults applies, so their order matters.
      client.server.setFaults(Faults())
      let shuffled = faults.shuffled(using: &random)
      client.server.update { current in shuffled.forEach { current.set($0) } }
      let size = min(batch, count - first)
      let tally = Tally(expecting: size)
      for index in first..<first + size {
        let family = PracticeClient.Family.allCases[index % 4]
        let operation = try client.operation(family, timeout: timeout) {
          all.completed(index)
        }
        watched += [watch(operation, tally), watch(operation, all)]
        try client.place.queue.addOperation(operation)
      }
      _ = try await tally.done.value(within: .seconds(60))
    }
    // The second of two observers may not have been called yet.
    #expect(eventually { all.outcomes.values.reduce(0, +) == count })
    #expect(all.completions.count == count && all.completions.values.allSatisfy { $0 == 1 })
    let kinds = TestScale.isSanitized ? 3 : 6
    #expect(all.outcomes.keys.count >= kinds, "a mixture: \(all.outcomes)")
    // After the faults are cleared, the same server and connections work normally.
    client.server.reset()
    for family in PracticeClient.Family.allCases {
      #expect(outcomeCode(try await client.run(family, timeout: .seconds(20))) == "succeeded")
    }
    client.stop()
    try await nothingLeft(of: watched, port: port)
  }

  @Test("Requests cancelled at any moment end once and leak nothing")
  func cancels() async throws {
    let count = TestScale.count(300, long: 5_000)
    let batch = 100
    let client = try PracticeClient(seed: 6, width: 16)
    let port = try #require(client.server.port)
    client.server.update { faults in
      faults.jitter = .milliseconds(8)
      faults.bandwidth = 3_000_000
    }
    var watched: [Watched] = []
    let all = Tally(expecting: count)
    let timers = DispatchQueue(label: "cancels", attributes: .concurrent)
    for first in stride(from: 0, to: count, by: batch) {
      let size = min(batch, count - first)
      let tally = Tally(expecting: size)
      for index in first..<first + size {
        let operation = try client.operation(
          PracticeClient.Family.allCases[index % 4], timeout: .seconds(30)
        ) { all.completed(index) }
        watched += [watch(operation, tally), watch(operation, all)]
        try client.place.queue.addOperation(operation)
        // On a slow machine all others may have succeeded before.
        if index.isMultiple(of: 5) { operation.cancel() }
        timers.asyncAfter(deadline: .now() + .microseconds(.random(in: 0...60_000))) {
          [weak operation] in operation?.cancel()
        }
      }
      _ = try await tally.done.value(within: .seconds(60))
    }
    #expect(eventually { all.outcomes.values.reduce(0, +) == count })
    let outcomes = all.outcomes
    #expect(Set(outcomes.keys).isSubset(of: ["cancelled", "succeeded"]), "\(outcomes)")
    #expect((outcomes["cancelled"] ?? 0) > 0)
    // An operation cancelled before it starts calls only its queue.
    #expect(all.completions.values.allSatisfy { $0 == 1 })
    client.server.reset()
    #expect(outcomeCode(try await client.run(.questions, timeout: .seconds(20))) == "succeeded")
    client.stop()
    try await nothingLeft(of: watched, port: port)
  }

  /// Expects that all operations and all connections on both sides have been released.
  private func nothingLeft(of watched: [Watched], port: UInt16) async throws {
    watched.forEach { $0.token.invalidate() }
    let isClean = eventually {
      watched.allSatisfy { $0.operation == nil } && SocketCensus.count(port: port) == 0
    }
    #expect(
      isClean,
      """
      \(watched.count { $0.operation != nil }) operations and \
      \(SocketCensus.count(port: port)) sockets are left
      """)
  }
}
