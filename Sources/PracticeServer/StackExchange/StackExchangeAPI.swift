import OpshCompression
import OpshJSON
import OpshWebAPIs

/// Answers requests as the Stack Exchange API does.
///
/// It belongs to the server's thread.
struct StackExchangeAPI {
  /// The sites that were asked for last, with the seed that their data came from.
  private var sites: [(seed: UInt64, data: SiteData)] = []

  /// The number of sites whose data are kept.
  private static let keptSites = 3

  /// What the JSON of a page depends on, but for the quota at its end.
  private struct PageKey: Hashable {
    let path: String
    let parameters: [String: String]
    let seed: UInt64
  }

  /// A page without the quota at its end.
  private struct KeptPage {
    let json: [UInt8]
    let tag: String
    let compressed: GzipPrefix?
  }

  /// Cached pages, because building a page takes ten times as long as sending it again.
  private var pages: [PageKey: KeptPage] = [:]

  /// The maximum number of cached pages; then all are dropped.
  private static let keptPages = 64

  /// Answers one request.
  mutating func answer(
    _ request: PracticeRequest, route: StackExchangeRoute, admission: Admission,
    client: UInt32, state: ServerState
  ) -> PracticeAnswer {
    let parameters = Parameters(request.parameters)
    var callback: String?
    do throws(APIError) {
      callback = try parameters.callback()
      guard request.isRead else { throw .unknownMethod }
      try refuse(admission, route: route, client: client, state: state)
      let filter = try parameters.filter()
      let page = try page(request, route, parameters, filter, seed: admission.seed)
      let rules = admission.decision.rules
      let quota = state.takeQuota(hasKey: parameters.hasKey)
      if quota.wasExhausted, rules.enforcesQuota {
        // Half a day, for nothing here depends on the time of day.
        throw .tooManyRequests(secondsLeft: 43_200)
      }
      if let seconds = rules.backoff {
        let now = state.monotonic()
        state.withLimits {
          $0.beginBackoff(client: client, pattern: route.pattern, seconds: seconds, now: now)
        }
      }
      let end = Self.end(of: page, filter, quota: quota, backoff: rules.backoff)
      var answer = Self.answer(
        status: 200, page.json, end, compressed: page.compressed, callback: callback)
      answer.revalidate(
        callback.map { EntityTag.weak(of: Array("\(page.tag) \($0)".utf8)) } ?? page.tag,
        for: request)
      return answer
    } catch {
      return Self.answer(
        status: callback == nil ? 400 : 200, error.json.bytes(), callback: callback)
    }
  }

  /// What the service says to a client that asks too much.
  static func tooManyRequests(seconds: Int) -> PracticeAnswer {
    answer(status: 400, APIError.tooManyRequests(secondsLeft: seconds).json.bytes(), callback: nil)
  }

  /// Makes the answer that is sent, compressed.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - json: The JSON, or its beginning.
  ///   - end: What follows the beginning. It is not compressed, so that the quota in it does not
  ///     change the length of the answer.
  ///   - compressed: The beginning, compressed.
  ///   - callback: The function to wrap the JSON in, if one is asked for.
  /// - Returns: The answer.
  private static func answer(
    status: Int, _ json: [UInt8], _ end: [UInt8] = [], compressed: GzipPrefix? = nil,
    callback: String?
  ) -> PracticeAnswer {
    var answer = PracticeAnswer.json(
      status: status, json + end, cacheControl: "private", callback: callback,
      script: "application/javascript")
    if callback == nil, let compressed {
      answer.body = compressed.completed(with: end)
      answer.setHeader("Content-Encoding", "gzip")
    } else {
      answer.compress()
    }
    return answer
  }

  /// Refuses a client that has asked too much.
  private func refuse(
    _ admission: Admission, route: StackExchangeRoute, client: UInt32, state: ServerState
  ) throws(APIError) {
    let rules = admission.decision.rules
    guard rules.throttle != nil || rules.punishesBackoff else { return }
    let now = state.monotonic()
    let error: APIError? = state.withLimits { limits in
      if let rule = rules.throttle,
        let seconds = limits.throttle(client: client, by: rule, now: now)
      {
        return .tooManyRequests(secondsLeft: seconds)
      }
      if rules.punishesBackoff,
        limits.ignoresBackoff(
          client: client, pattern: route.pattern, arrival: admission.arrival)
      {
        return .backoffViolated
      }
      return nil
    }
    if let error { throw error }
  }

  /// The page that a request asks for, made or kept.
  private mutating func page(
    _ request: PracticeRequest, _ route: StackExchangeRoute, _ parameters: Parameters,
    _ filter: ResponseFilter, seed: UInt64
  ) throws(APIError) -> KeptPage {
    let key = PageKey(path: request.path, parameters: request.parameters, seed: seed)
    if let page = pages[key] { return page }
    let found = try list(route, parameters, seed: seed, withBody: filter == .withBody)
    let fields = StackExchange.WrapperFields.list.fields
    let wrapper =
      switch filter {
      case .none: JSONValue([:])
      case .total: JSONValue([fields.total.name: found.total])
      case .standard, .withBody:
        JSONValue([fields.items.name: found.items, fields.hasMore.name: found.hasMore])
      }
    let json = wrapper.bytes().dropLast()
    let page = KeptPage(
      json: Array(json), tag: EntityTag.weak(of: Array(json)),
      compressed: try? GzipPrefix(Array(json)))
    if pages.count == Self.keptPages { pages.removeAll() }
    pages[key] = page
    return page
  }

  /// The rest of the JSON of a page, with the quota of the client.
  private static func end(
    of page: KeptPage, _ filter: ResponseFilter, quota: Quota, backoff: Int?
  ) -> [UInt8] {
    guard filter != .none, filter != .total else { return [UInt8(ascii: "}")] }
    let fields = StackExchange.WrapperFields.list.fields
    let rest = JSONValue([
      fields.backoff.name: backoff, fields.quotaMax.name: quota.maximum,
      fields.quotaRemaining.name: quota.remaining,
    ])
    return [UInt8(ascii: ",")] + rest.bytes().dropFirst()
  }

  private mutating func list(
    _ route: StackExchangeRoute, _ parameters: Parameters, seed: UInt64, withBody: Bool
  ) throws(APIError) -> Found<JSONValue> {
    switch route.method?.answering {
    case nil: throw .unknownMethod
    case .anywhere(let list)?: return try list(parameters, route.argument)
    case .onSite(let list)?:
      guard let name = try parameters[StackExchange.site] else { throw .siteRequired }
      guard let site = Site.named(name) else { throw .unknownSite(name) }
      if let endpoint = route.method?.endpoint { try parameters.check(endpoint.parameters) }
      return try list(
        SiteRequest(
          data: data(of: site, seed: seed), parameters: parameters, argument: route.argument,
          withBody: withBody))
    }
  }

  private mutating func data(of site: Site, seed: UInt64) -> SiteData {
    if let kept = sites.first(where: { $0.seed == seed && $0.data.site == site }) {
      return kept.data
    }
    let data = DatasetGenerator.generate(site: site, seed: seed)
    if sites.count == Self.keptSites { sites.removeFirst() }
    sites.append((seed, data))
    return data
  }
}
