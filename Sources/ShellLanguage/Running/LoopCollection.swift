/// What a `for` goes through where it is written as a collection of the host with what its elements
/// must be: `for op in ops ready`, `for op in ops where (priority == low)`.
struct LoopCollection {
  /// The collection, such as `ops`.
  let name: String
  /// The words of the host that select elements; none for all.
  let words: [String]
  /// What the elements must fit; bare words in it are their properties.
  let condition: Expression?
  /// Where it stands.
  let range: SourceRange

  /// Reads the items of a `for`; nil if they are something else, such as texts.
  ///
  /// The name alone is a text: `for word in ops`.
  init?(_ items: [Argument], in catalog: CommandCatalog) {
    guard items.count > 1, let name = items[0].bareText, catalog.collections.contains(name) else {
      return nil
    }
    let end = items.firstIndex { $0.bareText == "where" } ?? items.endIndex
    let selecting = catalog.selectingWords[name] ?? []
    let words = items[1..<end].compactMap(\.bareText).filter(selecting.contains)
    guard words.count == end - 1 else { return nil }
    var condition: Expression?
    if end < items.endIndex {
      guard items.count == end + 2, case .expression(let expression, _) = items[end + 1] else {
        return nil
      }
      condition = expression
    }
    self.name = name
    self.words = words
    self.condition = condition
    range = items[0].range.union(items[items.count - 1].range)
  }

  /// Returns the word `where` that no single expression follows, although a collection is before it.
  static func misplacedWhere(_ items: [Argument], in catalog: CommandCatalog) -> Argument? {
    guard items.count > 1, let name = items[0].bareText, catalog.collections.contains(name),
      items[1].bareText == "where"
        || catalog.selectingWords[name]?.contains(items[1].bareText ?? "") == true
    else { return nil }
    return items.first { $0.bareText == "where" }
  }
}
