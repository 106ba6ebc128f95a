import OpshWebAPIs

extension StackExchangeMethod {
  static let questions = [
    StackExchangeMethod(of: Questions.self) { (lists, parameters, _) throws(APIError) in
      try lists.questions(parameters)
    },
    StackExchangeMethod(ofSite: Questions.ids) { (lists, parameters, ids) throws(APIError) in
      try lists.questions(try Parameters.identifiers(ids), parameters)
    },
  ]
}

extension SiteLists {
  fileprivate func questions(_ parameters: Parameters) throws(APIError) -> Listing {
    let sort = try parameters[Questions.sort]
    let query = try PostQuery(parameters, allowsValues: sort.field != nil)
    var positions = catalog.questions(by: sort)
    var hasTags: ((Question) -> Bool)?
    let tags = try parameters[Questions.tagged]
    if !tags.isEmpty {
      if let wanted = Self.bits(ofAll: tags) {
        hasTags = { $0.tags & wanted == wanted }
      } else {
        positions = []
      }
    }
    return questionListing(
      query, query.select(positions, of: dataset.questions, sort: sort.field, where: hasTags))
  }

  fileprivate func questions(
    _ identifiers: [Int], _ parameters: Parameters
  ) throws(APIError) -> Listing {
    let sort = try parameters[Answers.sort]
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
  private static func bits(ofAll tags: [String]) -> UInt64? {
    let names = Set(tags.map { $0.lowercased() })
    guard names.count <= 5 else { return nil }
    var bits: UInt64 = 0
    for name in names {
      guard let position = Topic.tagPositions[name] else { return nil }
      bits |= 1 << UInt64(position)
    }
    return bits
  }
}
