import OpshSupport

/// What goes wrong with one request.
struct FaultDecision: Sendable, Equatable {
  /// What is answered instead of what the service would say.
  enum Replacement: Sendable, Equatable {
    case status(Int, retryAfter: Int?)
    case rateLimited(seconds: Int)
    case redirect(FaultEffect.Redirection)
    case hugeBody(Int)
  }

  /// A faulty delivery of the answer.
  struct Delivery: Sendable, Equatable {
    var kind: FaultEffect.Delivery
    /// How long a stall lasts; nil for forever.
    var duration: UInt64?
    /// Bytes a second, or in a header.
    var size: Int?
  }

  /// The rules of Stack Exchange that are enforced for the request.
  struct Rules: Sendable, Equatable {
    struct Throttle: Sendable, Equatable {
      var requestsPerSecond: Int
      var seconds: Int
    }

    var throttle: Throttle?
    /// The backoff that the answer asks for, in seconds.
    var backoff: Int?
    /// Whether a backoff that is not over is held against the client.
    var punishesBackoff = false
    var enforcesQuota = false
    var cacheControl: String?
  }

  /// How long the answer is held back, in nanoseconds.
  var delay: UInt64 = 0
  /// How many bytes of the body are sent in a second, if there is a limit.
  var bandwidth: Int?
  var replacement: Replacement?
  var rewritings: [FaultEffect.Rewriting] = []
  var delivery: Delivery?
  var rules = Rules()
  /// The names of the faults that struck, for the log.
  var names: [String] = []

  /// Decides that nothing goes wrong.
  init() {}

  /// Decides about one request.
  ///
  /// Each fault has draws of its own, whatever the other faults are. So a change of one fault does
  /// not move the decisions about another.
  ///
  /// - Parameters:
  ///   - faults: The faults at the time of arrival.
  ///   - seed: The server's seed.
  ///   - number: Tells this request from all others for which faults are decided.
  ///   - request: The request.
  init(faults: Faults, seed: UInt64, number: UInt64, request: PracticeRequest) {
    guard !faults.isClean else { return }
    for fault in faults.rows where fault.concerns(request) {
      if fault.kind.effect == .backoff { rules.punishesBackoff = true }
      let (chance, deviation) = Self.draws(for: fault, seed: seed, number: number)
      if chance * 100 < fault.percent, apply(fault, deviation: deviation) {
        names.append(fault.name)
      }
    }
  }

  /// What happens to the request when its answer begins.
  func stage(at now: UInt64) -> RequestLog.Stage {
    guard let delivery, delivery.kind == .stall, hugeBodySize == nil else { return .answering }
    return .held(by: Fault.Kind.stall.name, until: delivery.duration.map { now + $0 })
  }

  /// The random numbers of a fault, from 0 to 1: whether it strikes, and how far off its value is.
  private static func draws(
    for fault: Fault, seed: UInt64, number: UInt64
  ) -> (chance: Double, deviation: Double) {
    guard fault.isShortForm else {
      // FNV-1a of what makes a fault, so that its draws depend on nothing else.
      let own = "\(fault.name) \(fault.route)".utf8.reduce(fnvBasis) { fnv($0, $1) }
      var random = RandomSource(seed: seed ^ own, stream: number &+ 1)
      return (random.unit(), random.unit())
    }
    // The short forms share one generator, of which each has its part.
    var random = RandomSource(seed: seed, stream: number &+ 1)
    let draws = (0..<4).map { _ in random.unit() }
    switch fault.kind.effect {
    case .drop: return (draws[1], draws[2])
    case .fail: return (draws[3], 0)
    default: return (0, draws[0])
    }
  }

  /// Adds what a fault does, unless another one has done so before.
  private mutating func apply(_ fault: Fault, deviation: Double) -> Bool {
    let seconds = fault.duration.map { Int($0.boundedNanoseconds / 1_000_000_000) }
    switch fault.kind.effect {
    case .latency:
      let middle = Double((fault.duration ?? .milliseconds(200)).boundedNanoseconds)
      let spread = Double((fault.spread ?? .zero).boundedNanoseconds)
      delay += UInt64(max(0, middle + spread * (deviation * 2 - 1)))
    case .bandwidth: bandwidth = min(bandwidth ?? .max, max(1, fault.size ?? 10_000))
    case .drop:
      guard delivery == nil else { return false }
      delivery = Delivery(
        kind: deviation < 0.6
          ? .dropBeforeHeaders : deviation < 0.8 ? .dropInHeaders : .truncatedBody)
    case .fail:
      // The short form of a request that is dropped already: one of the two is enough.
      guard delivery == nil || !fault.isShortForm else { return false }
      let status = fault.size.flatMap { (200...599).contains($0) ? $0 : nil } ?? 503
      return replace(by: .status(status, retryAfter: seconds))
    case .status(let status):
      let usual = [420, 429, 503].contains(status) ? 1 : nil
      return replace(by: .status(status, retryAfter: seconds ?? usual))
    case .rateLimited: return replace(by: .rateLimited(seconds: max(1, seconds ?? 1)))
    case .redirect(let redirection): return replace(by: .redirect(redirection))
    case .hugeBody: return replace(by: .hugeBody(fault.size ?? 300_000_000))
    case .throttle:
      rules.throttle = .init(requestsPerSecond: fault.size ?? 30, seconds: max(1, seconds ?? 30))
      return false
    case .backoff: rules.backoff = max(1, seconds ?? 10)
    case .quota:
      rules.enforcesQuota = true
      return false
    case .cache:
      let stale = (fault.spread ?? .seconds(300)).boundedNanoseconds / 1_000_000_000
      rules.cacheControl = "private, max-age=\(seconds ?? 60), stale-while-revalidate=\(stale)"
    case .rewrite(let rewriting):
      guard !rewritings.contains(rewriting) else { return false }
      rewritings.append(rewriting)
    case .deliver(let kind):
      guard delivery == nil else { return false }
      delivery = Delivery(
        kind: kind, duration: fault.duration?.boundedNanoseconds, size: fault.size)
    }
    return true
  }

  private mutating func replace(by other: Replacement) -> Bool {
    guard replacement == nil else { return false }
    replacement = other
    return true
  }
}

/// The start of an FNV-1a hash, which is the same on every machine and in every run.
let fnvBasis: UInt64 = 0xCBF2_9CE4_8422_2325

/// One step of an FNV-1a hash.
func fnv(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
  (hash ^ UInt64(byte)) &* 0x100_0000_01B3
}

extension Duration {
  /// The duration, at least none and at most a day.
  var bounded: Duration { min(max(self, .zero), .seconds(86_400)) }

  /// The duration in nanoseconds, at least none and at most a day.
  ///
  /// The bound keeps sums far from overflow; no client waits longer for an answer.
  var boundedNanoseconds: UInt64 {
    let bounded = bounded.components
    return UInt64(bounded.seconds) * 1_000_000_000 + UInt64(bounded.attoseconds / 1_000_000_000)
  }
}
