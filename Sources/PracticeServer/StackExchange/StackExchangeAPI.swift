import OpshCompression
import OpshJSON
import OpshWebAPIs

/// Answers requests as the Stack Exchange API does.
///
/// It belongs to the server's thread.
struct StackExchangeAPI {
  /// The sites that were asked for last, with the seed that their data came from.
  private var catalogs: [(seed: UInt64, catalog: Catalog)] = []

  /// How many sites' data are kept at once.
  private static let keptCatalogs = 3

  /// What the JSON of a page depends on, but for the quota at its end.
  private struct PageKey: Hashable {
    let path: String
    let parameters: [String: String]
    let seed: UInt64
  }

  /// A page without the quota at its end.
  private struct KeptPage {
    let json: JSONWriter
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
      let end = Listing.end(
        after: page.json, filter: filter, quota: quota, backoff: rules.backoff)
      var answer = Self.answer(
        status: 200, page.json.bytes, end, compressed: page.compressed, callback: callback)
      answer.revalidate(
        callback.map { EntityTag.weak(of: Array("\(page.tag) \($0)".utf8)) } ?? page.tag,
        for: request)
      return answer
    } catch {
      return Self.answer(status: callback == nil ? 400 : 200, error.json, callback: callback)
    }
  }

  /// What the service says to a client that asks too much.
  static func tooManyRequests(seconds: Int) -> PracticeAnswer {
    answer(status: 400, APIError.tooManyRequests(secondsLeft: seconds).json, callback: nil)
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
    let type = callback == nil ? "json" : "javascript"
    var answer = PracticeAnswer(
      status: status,
      headers: [
        .init(name: "Content-Type", value: "application/\(type); charset=utf-8"),
        .init(name: "Cache-Control", value: "private"),
      ], body: callback.map { Array("\($0)(".utf8) + json + end + Array(");".utf8) } ?? json + end)
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
    let listing = try list(route, parameters, seed: seed, withBody: filter == .withBody)
    let json = listing.beginning(filter: filter)
    let page = KeptPage(
      json: json, tag: EntityTag.weak(of: json.bytes), compressed: try? GzipPrefix(json.bytes))
    if pages.count == Self.keptPages { pages.removeAll() }
    pages[key] = page
    return page
  }

  private mutating func list(
    _ route: StackExchangeRoute, _ parameters: Parameters, seed: UInt64, withBody: Bool
  ) throws(APIError) -> Listing {
    switch route.method?.answering {
    case nil: throw .unknownMethod
    case .anywhere(let list)?: return try list(parameters, route.argument)
    case .onSite(let list)?:
      guard let name = try parameters[StackExchange.site] else { throw .siteRequired }
      guard let site = Site.named(name) else { throw .unknownSite(name) }
      if let endpoint = route.method?.endpoint { try parameters.check(endpoint.parameters) }
      let lists = SiteLists(catalog: catalog(of: site, seed: seed), withBody: withBody)
      return try list(lists, parameters, route.argument)
    }
  }

  private mutating func catalog(of site: Site, seed: UInt64) -> Catalog {
    if let kept = catalogs.first(where: { $0.seed == seed && $0.catalog.dataset.site == site }) {
      return kept.catalog
    }
    let catalog = Catalog(DatasetGenerator.generate(site: site, seed: seed))
    if catalogs.count == Self.keptCatalogs { catalogs.removeFirst() }
    catalogs.append((seed, catalog))
    return catalog
  }
}
