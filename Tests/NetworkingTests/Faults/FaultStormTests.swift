import Foundation
import Locking
import Networking
import Operations
import PracticeServer
import TestSupport
import Testing

@Suite("Many requests, many faults, many cancels", .timeLimit(.minutes(15)))
struct FaultStormTests {
  /// What became of the operations of a storm.
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

    /// `failed` with the code up to its number.
    private static func family(_ outcome: OperationOutcome) -> String {
      guard case .failed(let failure) = outcome else { return outcome.name }
      return String(failure.code.prefix { $0 != "(" })
    }

    var outcomes: [String: Int] { state.withLock { $0.outcomes } }
    var completions: [Int: Int] { state.withLock { $0.completions } }
  }

  /// Notes the end of an operation without keeping it.
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

  /// Every fault at 20 %, short enough for a storm.
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

  @Test("Requests under all faults at once each end once, and leave nothing behind")
  func mixedFaults() async throws {
    let count = TestScale.count(300, long: 10_000)
    let batch = 100
    let client = try PracticeClient(seed: 5, width: 16)
    let port = try #require(client.server.port)
    let faults = try Self.everyFault()
    // Where all is slow, a short one would be the only failure there is.
    let timeout = Duration.milliseconds(TestScale.isSanitized ? 3_000 : 300)
    var random = SystemRandomNumberGenerator()
    let all = Tally(expecting: count)
    var watched: [Watched] = []
    for first in stride(from: 0, to: count, by: batch) {
      // The first of several that fit strikes, so that their order decides which one is seen.
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
    // Of two observers the second may not have been told yet.
    #expect(eventually { all.outcomes.values.reduce(0, +) == count })
    #expect(all.completions.count == count && all.completions.values.allSatisfy { $0 == 1 })
    let kinds = TestScale.isSanitized ? 3 : 6
    #expect(all.outcomes.keys.count >= kinds, "a mixture: \(all.outcomes)")
    // With the faults gone the same server and the same connections serve as ever.
    client.server.reset()
    for family in PracticeClient.Family.allCases {
      #expect(outcomeCode(try await client.run(family, timeout: .seconds(20))) == "succeeded")
    }
    client.stop()
    try await nothingLeft(of: watched, port: port)
  }

  @Test("Cancels at any moment end each request once, and leave nothing behind")
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
    // One that is cancelled before it begins has nobody to tell but its queue.
    #expect(all.completions.values.allSatisfy { $0 == 1 })
    client.server.reset()
    #expect(outcomeCode(try await client.run(.questions, timeout: .seconds(20))) == "succeeded")
    client.stop()
    try await nothingLeft(of: watched, port: port)
  }

  /// Everything was given back: operations, and connections on either side.
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
