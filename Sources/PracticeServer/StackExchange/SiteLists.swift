/// The methods that list what is on one site.
struct SiteLists {
  let catalog: Catalog
  private let writer: PostWriter

  init(catalog: Catalog, withBody: Bool) {
    self.catalog = catalog
    writer = PostWriter(dataset: catalog.dataset, withBody: withBody)
  }

  var dataset: Dataset { catalog.dataset }

  // MARK: Questions

  func questions(_ parameters: Parameters) throws(APIError) -> Listing {
    let sort = try parameters.sort(QuestionSort.activity)
    let query = try PostQuery(parameters, allowsValues: sort.field != nil)
    var positions = catalog.questions(by: sort)
    var hasTags: ((Question) -> Bool)?
    if let text = parameters.text("tagged") {
      if let wanted = Self.tagBits(text) {
        hasTags = { $0.tags & wanted == wanted }
      } else {
        positions = []
      }
    }
    return questionListing(
      query, query.select(positions, of: dataset.questions, sort: sort.field, where: hasTags))
  }

  func questions(_ identifiers: [Int], _ parameters: Parameters) throws(APIError) -> Listing {
    let sort = try parameters.sort(PostSort.activity)
    let query = try PostQuery(parameters)
    let questions = dataset.questions
    let found = Self.positions(of: identifiers, in: questions)
    let sorted = Catalog.sorted(found) { sort.key(of: questions[Int($0)]) }
    return questionListing(query, query.select(sorted, of: questions, sort: sort))
  }

  func questionListing(_ query: PostQuery, _ positions: [Int32]) -> Listing {
    let writer = writer
    return Listing(page: query.page, positions: positions) { position, json in
      writer.writeQuestion(at: position, to: &json)
    }
  }

  /// The bits of tags, or nil when no question can have them: one is unknown, or they are more
  /// than a question may have.
  private static func tagBits(_ text: String) -> UInt64? {
    let names = Set(text.lowercased().split(separator: ";").map(String.init))
    guard names.count <= 5 else { return nil }
    var bits: UInt64 = 0
    for name in names {
      guard let position = Topic.tagPositions[name] else { return nil }
      bits |= 1 << UInt64(position)
    }
    return bits
  }

  // MARK: Answers

  func answers(_ parameters: Parameters) throws(APIError) -> Listing {
    let sort = try parameters.sort(PostSort.activity)
    let query = try PostQuery(parameters)
    return answerListing(
      query, query.select(catalog.answers(by: sort), of: dataset.answers, sort: sort))
  }

  func answers(_ identifiers: [Int], _ parameters: Parameters) throws(APIError) -> Listing {
    try answers(at: Self.positions(of: identifiers, in: dataset.answers), parameters)
  }

  func answers(
    toQuestions identifiers: [Int], _ parameters: Parameters
  ) throws(APIError) -> Listing {
    let questions = Self.positions(of: identifiers, in: dataset.questions)
    return try answers(
      at: questions.flatMap { dataset.answers(toQuestionAt: Int($0)) }, parameters)
  }

  private func answers(
    at positions: [Int32], _ parameters: Parameters
  ) throws(APIError) -> Listing {
    let sort = try parameters.sort(PostSort.activity)
    let query = try PostQuery(parameters)
    let answers = dataset.answers
    let sorted = Catalog.sorted(positions) { sort.key(of: answers[Int($0)]) }
    return answerListing(query, query.select(sorted, of: answers, sort: sort))
  }

  private func answerListing(_ query: PostQuery, _ positions: [Int32]) -> Listing {
    let writer = writer
    return Listing(page: query.page, positions: positions) { position, json in
      writer.writeAnswer(at: position, to: &json)
    }
  }

  private static func positions<P: Post>(of identifiers: [Int], in posts: [P]) -> [Int32] {
    identifiers.compactMap { Dataset.position(of: $0, in: posts).map(Int32.init) }
  }

  // MARK: Tags

  func tags(_ parameters: Parameters) throws(APIError) -> Listing {
    let part = parameters.text("inname")?.lowercased()
    return try tags(parameters) { name in part.map { name.contains($0) } ?? true }
  }

  func tags(named text: String, _ parameters: Parameters) throws(APIError) -> Listing {
    let names = Set(text.lowercased().split(separator: ";").map(String.init))
    guard !names.isEmpty else { throw .unknownMethod }
    guard names.count <= 20 else { throw .badParameter("tags") }
    return try tags(parameters) { names.contains($0) }
  }

  private func tags(
    _ parameters: Parameters, where isIncluded: (String) -> Bool
  ) throws(APIError) -> Listing {
    let sort = try parameters.sort(TagSort.popular)
    let page = try parameters.page()
    let isDescending = try parameters.isDescending()
    let dates = try parameters.range("fromdate", "todate")
    var tags = dataset.tagUses.filter { tag in
      isIncluded(tag.name) && (dates?.contains(tag.firstUse) ?? true)
    }
    switch sort {
    case .popular, .activity:
      let values = try parameters.range("min", "max")
      func key(_ tag: Dataset.TagUse) -> Int { sort == .popular ? tag.count : tag.lastActivity }
      if let values { tags.removeAll { !values.contains(key($0)) } }
      tags.sort { (key($0), $1.name) > (key($1), $0.name) }
    case .name:
      if let least = parameters.text("min") { tags.removeAll { $0.name < least } }
      if let greatest = parameters.text("max") { tags.removeAll { $0.name > greatest } }
      tags.sort { $0.name > $1.name }
    }
    if !isDescending { tags.reverse() }
    let shown = tags[page.range(in: tags.count)]
    return Listing(page: page, total: tags.count) { json in
      for tag in shown {
        json.beginObject()
        // Tags with many questions tend to have other names.
        json.field("has_synonyms", tag.count > 150)
        json.field("is_moderator_only", false)
        json.field("is_required", false)
        json.field("count", tag.count)
        json.field("name", tag.name)
        json.endObject()
      }
    }
  }

  // MARK: Info

  func info(_ parameters: Parameters) throws(APIError) -> Listing {
    let dataset = dataset
    let page = Page(number: 1, size: 30)
    return Listing(page: page, total: 1) { json in
      let minutes = 14 * 365 * 24 * 60
      json.beginObject()
      json.field("new_active_users", 7)
      json.field("total_users", dataset.users.count)
      json.key("badges_per_minute")
      json.thousandths(2)
      json.field("total_badges", dataset.users.count * 9)
      json.field("total_votes", dataset.questions.count * 11)
      json.field("total_comments", dataset.questions.count * 4)
      json.key("answers_per_minute")
      json.thousandths(dataset.answers.count * 1000 / minutes)
      json.key("questions_per_minute")
      json.thousandths(dataset.questions.count * 1000 / minutes)
      json.field("total_answers", dataset.answers.count)
      json.field("total_accepted", dataset.answers.count { $0.isAccepted })
      json.field("total_unanswered", dataset.questions.count { !$0.isAnswered })
      json.field("total_questions", dataset.questions.count)
      json.field("api_revision", "practice")
      json.endObject()
    }
  }
}
