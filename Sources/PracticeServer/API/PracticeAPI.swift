import Compression

/// Answers requests as the imitated service does.
///
/// It belongs to the server's thread.
struct PracticeAPI {
  /// The sites that were asked for last, with the seed that their data came from.
  private var catalogs: [(seed: UInt64, catalog: Catalog)] = []
  private var pages = PageCache()

  /// How many sites' data are kept at once.
  private static let keptCatalogs = 3

  /// Answers one request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - admission: What was settled on its arrival.
  ///   - state: Where the quota is counted.
  /// - Returns: The answer, which may be one that says what is wrong.
  mutating func answer(
    _ request: PracticeRequest, admission: Admission, state: ServerState
  ) -> PracticeAnswer {
    let isRead = request.method == "GET" || request.method == "HEAD"
    switch request.route {
    case .index where isRead: return .text(status: 200, Route.overview)
    case .index: return .text(status: 405, "only GET and HEAD are answered here\n")
    case .notFound: return .text(status: 404, "there is nothing at this path\n")
    default: break
    }
    let parameters = Parameters(request.parameters)
    var callback: String?
    do throws(APIError) {
      callback = try parameters.callback()
      guard isRead else { throw .unknownMethod }
      let body = try respond(
        request.route, parameters, request.parameters, admission: admission, state: state)
      return body.answer(status: 200, callback: callback)
    } catch {
      let status = callback == nil ? 400 : 200
      return ResponseBody(error).answer(status: status, callback: callback)
    }
  }

  private mutating func respond(
    _ route: Route, _ parameters: Parameters, _ text: [String: String], admission: Admission,
    state: ServerState
  ) throws(APIError) -> ResponseBody {
    let key = PageCache.Key(route: route, parameters: text, seed: admission.seed)
    let page: RenderedPage
    if let kept = pages[key] {
      page = kept
    } else {
      let filter = try parameters.filter()
      let listing = try list(route, parameters, seed: admission.seed, withBody: filter.includesBody)
      page = RenderedPage(listing, filter: filter)
      pages[key] = page
    }
    if admission.enforcesBackoff, let seconds = admission.backoff,
      !state.beginBackoff(route: route.pattern, seconds: seconds, now: monotonicNanoseconds())
    {
      throw .backoffViolated
    }
    let quota = state.takeQuota(hasKey: parameters.hasKey)
    if quota.wasExhausted, admission.enforcesQuota {
      // Half a day, for nothing here depends on the time of day.
      throw .quotaExhausted(secondsLeft: 43_200)
    }
    return page.completed(quota: quota, backoff: admission.backoff)
  }

  private mutating func list(
    _ route: Route, _ parameters: Parameters, seed: UInt64, withBody: Bool
  ) throws(APIError) -> Listing {
    switch route {
    case .unknownMethod, .index, .notFound: throw .unknownMethod
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
