import OpshWebAPIs

extension StackExchangeMethod {
  static let searches = [
    StackExchangeMethod(ofSite: "search", sample: "&tagged=swift;linux") {
      (lists, parameters, _) throws(APIError) in try lists.search(parameters)
    },
    StackExchangeMethod(ofSite: "search/advanced", sample: "&q=queue") {
      (lists, parameters, _) throws(APIError) in try lists.advancedSearch(parameters)
    },
  ]
}

/// The orders of what a search has found.
private enum SearchSort: String, CaseIterable, APIWord {
  case activity, creation, votes, relevance

  static let parameter = APIParameter<SearchSort>("sort", default: .activity, help: "sort key")

  /// The order that compares one field, if it is one of those.
  var field: PostSort? { PostSort(rawValue: rawValue) }
}

extension SiteLists {
  /// Finds questions by any of some tags, or by what is in their titles.
  fileprivate func search(_ parameters: Parameters) throws(APIError) -> Listing {
    guard parameters.text("tagged") != nil || parameters.text("intitle") != nil else {
      throw .searchNeedsTag
    }
    return try search(parameters, title: "intitle") { _ in true }
  }

  /// Finds questions by everything that can be asked about them.
  fileprivate func advancedSearch(_ parameters: Parameters) throws(APIError) -> Listing {
    let accepted: Bool? = try parameters.value("accepted")
    let closed: Bool? = try parameters.value("closed")
    let migrated: Bool? = try parameters.value("migrated")
    let notice: Bool? = try parameters.value("notice")
    let wiki: Bool? = try parameters.value("wiki")
    let answers: Int? = try parameters.value("answers")
    let views: Int? = try parameters.value("views")
    let user: Int? = try parameters.value("user")
    // No question here was moved, or has a notice.
    let nothing = migrated == true || notice == true
    let users = dataset.users
    return try search(parameters, title: "title") { question in
      if nothing { return false }
      if let accepted, accepted != (question.acceptedAnswer != nil) { return false }
      if let closed, closed != (question.closedDate != nil) { return false }
      if let wiki, wiki != (question.communityOwnedDate != nil) { return false }
      if let answers, question.answerCount < answers { return false }
      if let views, question.viewCount < views { return false }
      if let user {
        guard case .user(let position) = question.author, users[position].identifier == user
        else { return false }
      }
      return true
    }
  }

  private func search(
    _ parameters: Parameters, title: String, where isIncluded: @escaping (Question) -> Bool
  ) throws(APIError) -> Listing {
    let sort = try parameters[SearchSort.parameter]
    let query = try PostQuery(parameters, allowsValues: sort.field != nil)
    let texts = SearchTerms(parameters, title: title)
    let wanted = parameters.list("tagged").map(Self.bits)
    // Without tags, only the other parameters tell whether those that are not wanted count.
    let isTagged = wanted != nil || title == "title"
    let unwanted = isTagged ? parameters.list("nottagged").map(Self.bits) ?? 0 : 0

    let questions = dataset.questions
    let sorted = catalog.questions(by: QuestionSort(rawValue: sort.rawValue) ?? .votes)
    var found = query.select(sorted, of: questions, sort: sort.field) { question in
      question.tags & unwanted == 0 && wanted.map { question.tags & $0 != 0 } ?? true
        && isIncluded(question)
    }
    if !texts.isEmpty || sort == .relevance {
      var weighed: [(position: Int32, weight: Int)] = []
      for position in found {
        let tags = questions[Int(position)].tags
        guard let weight = texts.weight(of: position, tags: tags, in: catalog) else { continue }
        let matches = wanted.map { (tags & $0).nonzeroBitCount } ?? 0
        weighed.append((position, weight + 5 * matches))
      }
      if sort == .relevance {
        // Of equal ones those stay first that have more votes: sorting is stable.
        weighed.sort { query.isDescending ? $0.weight > $1.weight : $0.weight < $1.weight }
      }
      found = weighed.map(\.position)
    }
    return questionListing(query, found)
  }

  /// The bits of those tags that there are.
  private static func bits(_ names: Set<String>) -> UInt64 {
    names.reduce(0) { bits, name in
      Topic.tagPositions[name].map { bits | 1 << UInt64($0) } ?? bits
    }
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
  func weight(of position: Int32, tags: UInt64, in catalog: Catalog) -> Int? {
    guard !isEmpty else { return 0 }
    for tag in everywhere.tags {
      guard let bit = Topic.tagPositions[tag], tags & 1 << UInt64(bit) != 0 else { return nil }
    }
    let text = catalog.text(ofQuestionAt: position)
    guard let ofTitle = title.weight(in: [(text.title, 10)]),
      let ofBody = body.weight(in: [(text.body, 3)])
    else { return nil }
    guard address.allSatisfy({ SearchText.contains(text.body, $0) }) else { return nil }
    var names: [String] = []
    forEachBit(of: tags) { names.append(Topic.tags[$0]) }
    let joined = Array(names.joined(separator: " ").utf8)
    let ofAll = everywhere.weight(in: [(text.title, 10), (joined, 6), (text.body, 3)])
    return ofAll.map { $0 + ofTitle + ofBody }
  }
}
