import Compression

/// Answers requests as the Stack Exchange API does.
///
/// It belongs to the server's thread.
struct StackExchangeAPI {
  /// The sites that were asked for last, with the seed that their data came from.
  private var catalogs: [(seed: UInt64, catalog: Catalog)] = []
  private var pages = PageCache()

  /// How many sites' data are kept at once.
  private static let keptCatalogs = 3

  /// Answers one request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - route: The method that its path names.
  ///   - admission: What was settled on its arrival.
  ///   - client: The client's address.
  ///   - state: Where the quota is counted.
  /// - Returns: The answer, which may be one that says what is wrong.
  mutating func answer(
    _ request: PracticeRequest, route: StackExchangeRoute, admission: Admission,
    client: UInt32, state: ServerState
  ) -> PracticeAnswer {
    let text = request.parameters
    let parameters = Parameters(text)
    var callback: String?
    do throws(APIError) {
      callback = try parameters.callback()
      guard request.isRead else { throw .unknownMethod }
      try refuse(admission, route: route, client: client, state: state)
      let page = try page(route, parameters, text, seed: admission.seed)
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
      let body = page.completed(quota: quota, backoff: rules.backoff)
      var answer = body.answer(status: 200, callback: callback)
      answer.revalidate(
        callback.map { EntityTag.weak(of: Array($0.utf8), variant: page.tag) } ?? page.tag,
        for: request)
      return answer
    } catch {
      return ResponseBody(error).answer(status: callback == nil ? 400 : 200, callback: callback)
    }
  }

  /// What the service says to a client that asks too much.
  static func tooManyRequests(seconds: Int) -> PracticeAnswer {
    ResponseBody(.tooManyRequests(secondsLeft: seconds)).answer(status: 400, callback: nil)
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

  private mutating func page(
    _ route: StackExchangeRoute, _ parameters: Parameters, _ text: [String: String], seed: UInt64
  ) throws(APIError) -> RenderedPage {
    let key = PageCache.Key(route: route, parameters: text, seed: seed)
    if let kept = pages[key] { return kept }
    let filter = try parameters.filter()
    let listing = try list(route, parameters, seed: seed, withBody: filter == .withBody)
    let page = RenderedPage(listing, filter: filter)
    pages[key] = page
    return page
  }

  private mutating func list(
    _ route: StackExchangeRoute, _ parameters: Parameters, seed: UInt64, withBody: Bool
  ) throws(APIError) -> Listing {
    switch route {
    case .unknownMethod: throw .unknownMethod
    case .errorByID(let identifier): throw try .simulated(identifier)
    case .errors: return try SiteIndependentLists.errors(parameters)
    case .sites: return try SiteIndependentLists.sites(parameters)
    default: break
    }
    guard let siteName = parameters.text("site") else { throw .siteRequired }
    guard let site = Site.named(siteName) else { throw .unknownSite(siteName) }
    let lists = SiteLists(catalog: catalog(of: site, seed: seed), withBody: withBody)
    switch route {
    case .questions: return try lists.questions(parameters)
    case .questionsByID(let text):
      return try lists.questions(try Parameters.identifiers(text), parameters)
    case .answersOfQuestions(let text):
      return try lists.answers(toQuestions: try Parameters.identifiers(text), parameters)
    case .answers: return try lists.answers(parameters)
    case .answersByID(let text):
      return try lists.answers(try Parameters.identifiers(text), parameters)
    case .search: return try lists.search(parameters)
    case .advancedSearch: return try lists.advancedSearch(parameters)
    case .tags: return try lists.tags(parameters)
    case .tagsByName(let names): return try lists.tags(named: names, parameters)
    case .info: return try lists.info(parameters)
    default: throw .unknownMethod
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
