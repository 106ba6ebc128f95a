import OpshWebAPIs

extension StackExchangeMethod {
  static let answers = [
    StackExchangeMethod(ofSite: Answers.questionIDs) { (lists, parameters, ids) throws(APIError) in
      try lists.answers(toQuestions: try Parameters.identifiers(ids), parameters)
    },
    StackExchangeMethod(of: Answers.self) { (lists, parameters, _) throws(APIError) in
      try lists.answers(parameters)
    },
    StackExchangeMethod(ofSite: Answers.ids) { (lists, parameters, ids) throws(APIError) in
      try lists.answers(try Parameters.identifiers(ids), parameters)
    },
  ]
}

extension SiteLists {
  fileprivate func answers(_ parameters: Parameters) throws(APIError) -> Listing {
    let sort = try parameters[Answers.sort]
    let query = try PostQuery(parameters)
    return answerListing(
      query, query.select(catalog.answers(by: sort), of: dataset.answers, sort: sort))
  }

  fileprivate func answers(_ identifiers: [Int], _ parameters: Parameters) throws(APIError)
    -> Listing
  {
    try answers(at: Self.positions(of: identifiers, in: dataset.answers), parameters)
  }

  fileprivate func answers(
    toQuestions identifiers: [Int], _ parameters: Parameters
  ) throws(APIError) -> Listing {
    let questions = Self.positions(of: identifiers, in: dataset.questions)
    return try answers(
      at: questions.flatMap { dataset.answers(toQuestionAt: Int($0)) }, parameters)
  }

  private func answers(
    at positions: [Int32], _ parameters: Parameters
  ) throws(APIError) -> Listing {
    let sort = try parameters[Answers.sort]
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
}
