import OpshJSON
import OpshWebAPIs

/// The orders of what a search has found.
private enum SearchSort: String, CaseIterable, APIWord {
  case activity, creation, votes, relevance

  static let parameter = APIParameter<SearchSort>("sort", default: .activity, help: "sort key")
}

extension SiteRequest {
  /// Finds questions by any of some tags, or by what is in their titles.
  func search() throws(APIError) -> Found<JSONValue> {
    guard parameters.text("tagged") != nil || parameters.text("intitle") != nil else {
      throw .searchNeedsTag
    }
    return try search(title: "intitle", [])
  }

  /// Finds questions by everything that can be asked about them.
  func advancedSearch() throws(APIError) -> Found<JSONValue> {
    var conditions: [(Post) -> Bool] = []
    let flags: [(name: String, isMet: (Post) -> Bool)] = [
      ("accepted", { $0.acceptedAnswer != nil }), ("closed", { $0.closedDate != nil }),
      // No question here was moved, or has a notice.
      ("migrated", { _ in false }), ("notice", { _ in false }),
      ("wiki", { $0.communityOwnedDate != nil }),
    ]
    for flag in flags {
      guard let wanted: Bool = try parameters.value(flag.name) else { continue }
      conditions.append { flag.isMet($0) == wanted }
    }
    if let answers: Int = try parameters.value("answers") {
      conditions.append { $0.answerCount >= answers }
    }
    if let views: Int = try parameters.value("views") {
      conditions.append { $0.viewCount >= views }
    }
    if let user: Int = try parameters.value("user") {
      conditions.append { $0.owner["user_id"] == user.json }
    }
    return try search(title: "title", conditions)
  }

  private func search(
    title: String, _ conditions: [(Post) -> Bool]
  ) throws(APIError) -> Found<JSONValue> {
    let word = try parameters[SearchSort.parameter]
    let sort = QuestionSort(rawValue: word.rawValue) ?? .votes
    let texts = SearchTerms(parameters, title: title)
    let wanted = parameters.list("tagged").map(Topic.bits(ofAny:))
    // Without tags, only the other parameters tell whether those that are not wanted count.
    let isTagged = wanted != nil || title == "title"
    let unwanted = isTagged ? parameters.list("nottagged").map(Topic.bits(ofAny:)) ?? 0 : 0
    var selection = try selection(
      of: .question, sort, hasBounds: word != .relevance,
      [{ $0.tags & unwanted == 0 && wanted.map { [tags = $0.tags] in tags & $0 != 0 } ?? true }]
        + conditions)
    let isDescending = try parameters.isDescending
    var weights: [Int: Int] = [:]
    if !texts.isEmpty || word == .relevance {
      selection.conditions.append { position in
        let tags = data.questions[position].tags
        guard let weight = texts.weight(of: position, tags: tags, in: data) else { return false }
        weights[position] = weight + 5 * (tags & (wanted ?? 0)).nonzeroBitCount
        return true
      }
    }
    if word == .relevance {
      // Of equal ones those stay first that have more votes.
      let sign = isDescending ? -1 : 1
      selection.order = [{ sign * ((weights[$0] ?? 0) - (weights[$1] ?? 0)) }]
    }
    let order = data.positions(.question, by: sort)
    return selection.run(on: isDescending ? order : order.reversed())
      .map { json(of: .question, at: $0) }
  }
}

/// The terms that a search looks for in questions.
private struct SearchTerms {
  private let everywhere: SearchText
  private let title: SearchText
  private let body: SearchText
  /// The pieces of an address between its stars.
  private let address: [[UInt8]]

  init(_ parameters: Parameters, title name: String) {
    let isAdvanced = name == "title"
    func text(_ name: String) -> String { isAdvanced ? parameters.text(name) ?? "" : "" }
    everywhere = SearchText(text("q"))
    title = SearchText(parameters.text(name) ?? "", isPlain: true)
    body = SearchText(text("body"), isPlain: true)
    address = text("url").lowercased().split(separator: "*").map { Array($0.utf8) }
  }

  var isEmpty: Bool {
    everywhere.isEmpty && title.isEmpty && body.isEmpty && address.isEmpty
  }

  /// Weighs a question; nil if it is not what was wanted.
  func weight(of position: Int, tags: UInt64, in data: SiteData) -> Int? {
    guard !isEmpty else { return 0 }
    guard everywhere.tags.allSatisfy({ tags & (Topic.bit(of: $0) ?? 0) != 0 }) else { return nil }
    let text = data.text(ofQuestionAt: position)
    let names = Topic.bits(of: tags).map { Topic.tags[$0] }.joined(separator: " ")
    guard let ofTitle = title.weight(in: [(text.title, 10)]),
      let ofBody = body.weight(in: [(text.body, 3)]),
      address.allSatisfy({ SearchText.contains(text.body, $0) }),
      let ofAll = everywhere.weight(
        in: [(text.title, 10), (Array(names.utf8), 6), (text.body, 3)])
    else { return nil }
    return ofTitle + ofBody + ofAll
  }
}
