/// Keeps pages that were asked for, so that asking again costs next to nothing.
struct PageCache {
  /// All that a page depends on.
  struct Key: Hashable {
    private let pattern: String
    private let identifiers: String
    private let parameters: [String: String]
    private let seed: UInt64

    private static let names = [
      "site", "page", "pagesize", "order", "sort", "min", "max", "fromdate", "todate", "tagged",
      "inname", "filter", "nottagged", "intitle", "q", "accepted", "answers", "body", "closed",
      "migrated", "notice", "title", "user", "url", "views", "wiki",
    ]

    init(route: StackExchangeRoute, parameters: [String: String], seed: UInt64) {
      pattern = route.pattern
      identifiers = route.variablePart
      // What no page depends on stays out, so that it does not make equal pages differ: a
      // callback, a parameter that nobody knows, and which key it is that a client has.
      var relevant: [String: String] = [:]
      for name in Self.names { relevant[name] = parameters[name] }
      if Parameters(parameters).hasKey { relevant["key"] = "given" }
      self.parameters = relevant
      self.seed = seed
    }
  }

  private var pages: [Key: RenderedPage] = [:]
  private var size = 0
  /// How many bytes of pages are kept at most.
  private static let maximumSize = 16 << 20

  subscript(key: Key) -> RenderedPage? {
    get { pages[key] }
    set {
      size -= pages.removeValue(forKey: key)?.size ?? 0
      guard let newValue else { return }
      if size + newValue.size > Self.maximumSize {
        // Which page is needed next cannot be told from which was last: starting over is as good
        // as anything cleverer.
        pages.removeAll()
        size = 0
      }
      pages[key] = newValue
      size += newValue.size
    }
  }
}
