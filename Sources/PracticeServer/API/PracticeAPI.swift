/// Answers requests as the imitated services do.
///
/// It belongs to the server's thread.
struct PracticeAPI {
  private var stackExchange = StackExchangeAPI()
  private var tweets = TweetSearch()
  private var parse = ParsePlatformAPI()

  /// Answers one request.
  mutating func answer(
    _ request: PracticeRequest, admission: Admission, client: UInt32, state: ServerState
  ) -> PracticeAnswer {
    var answer: PracticeAnswer
    switch request.route {
    case .index where request.isRead: return .text(status: 200, Route.overview)
    case .issuer where request.isRead: return .text(status: 200, CertificateMistake.issuer)
    case .index, .issuer: return .text(status: 405, "only GET and HEAD are answered here\n")
    case .redirectLoop(let next): return .redirect(to: "/redirect-loop/\(next)")
    case .tryOut(let route):
      return TryOutAPI(request: request, seed: admission.seed, wall: state.wall()).answer(route)
    case .notFound: return .text(status: 404, "there is nothing at this path\n")
    case .stackExchange(let route):
      answer = stackExchange.answer(
        request, route: route, admission: admission, client: client, state: state)
    case .tweets: answer = tweets.answer(request, seed: admission.seed)
    case .tweetsInOtherFormat: answer = TweetSearch.notAcceptable
    case .parse(let route):
      answer = parse.answer(
        request, route: route, seed: admission.seed, generation: admission.generation,
        wall: state.wall())
    }
    if let control = admission.decision.rules.cacheControl, request.isRead,
      answer.status == 200 || answer.status == 304
    {
      answer.setHeader("Cache-Control", control)
    }
    return answer
  }

  /// Says what a service says to a client that asks too much.
  static func rateLimited(_ request: PracticeRequest, seconds: Int) -> PracticeAnswer {
    switch request.route {
    case .tweets, .tweetsInOtherFormat: TweetSearch.rateLimited(seconds: seconds)
    case .parse: ParsePlatformAPI.rateLimited(seconds: seconds)
    case .stackExchange, .index, .issuer, .redirectLoop, .tryOut, .notFound:
      StackExchangeAPI.tooManyRequests(seconds: seconds)
    }
  }
}
