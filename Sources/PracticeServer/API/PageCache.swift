/// Keeps pages that were asked for, so that asking again costs next to nothing.
struct PageCache {
  /// All that a page depends on.
  struct Key: Hashable {
    private let pattern: String
    private let identifiers: String
    private let parameters: [String: String]
    private let seed: UInt64

    init(route: Route, parameters: [String: String], seed: UInt64) {
      pattern = route.pattern
      identifiers = route.variablePart
      // The same page goes to every client, with a callback or without. Whether there is a key
      // stays in, because it decides which pages may be seen.
      var parameters = parameters
      parameters["callback"] = nil
      for name in ["key", "access_token"] where parameters[name]?.isEmpty == false {
        parameters[name] = "given"
      }
      self.parameters = parameters
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
