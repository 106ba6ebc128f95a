import OpshJSON
import OpshWebAPIs

/// A request for a list of what is on a site.
struct SiteRequest {
  let data: SiteData
  let parameters: Parameters
  /// The part of the path in place of `{…}`.
  let argument: String
  let withBody: Bool

  // MARK: Posts

  func questions() throws(APIError) -> Found<JSONValue> {
    let sort = try parameters[Questions.sort]
    let names = Set(try parameters[Questions.tagged].map { $0.lowercased() })
    let bits = names.compactMap(Topic.bit).reduce(0, |)
    // A question has five tags at most.
    let canBeMet = names.count <= 5 && names.allSatisfy { Topic.bit(of: $0) != nil }
    return try posts(
      .question, sort: sort,
      where: names.isEmpty ? [] : [{ canBeMet && $0.tags & bits == bits }])
  }

  func answersToQuestions() throws(APIError) -> Found<JSONValue> {
    let questions = data.positions(.question, of: try Parameters.identifiers(argument))
    return try posts(.answer, at: questions.flatMap(data.answers(toQuestionAt:)))
  }

  /// Lists the posts that have one of some ids.
  func posts(_ kind: Post.Kind, of identifiers: [Int]) throws(APIError) -> Found<JSONValue> {
    try posts(kind, at: data.positions(kind, of: identifiers))
  }

  private func posts(_ kind: Post.Kind, at positions: [Int]) throws(APIError) -> Found<JSONValue> {
    try posts(kind, at: positions, sort: try postSort())
  }

  /// The order of posts that are not listed by what goes on around them.
  func postSort() throws(APIError) -> QuestionSort {
    let sort = try parameters[Answers.sort]
    return QuestionSort(rawValue: sort.rawValue) ?? .activity
  }

  /// Lists posts.
  ///
  /// - Parameters:
  ///   - kind: Questions or answers.
  ///   - positions: The positions of those in question; nil for all.
  ///   - sort: The order.
  ///   - conditions: The conditions that they have to meet, beside those of all lists.
  /// - Returns: The posts.
  /// - Throws: The error of the first parameter that is wrong.
  func posts(
    _ kind: Post.Kind, at positions: [Int]? = nil, sort: QuestionSort,
    where conditions: [(Post) -> Bool] = []
  ) throws(APIError) -> Found<JSONValue> {
    let selection = try selection(of: kind, sort, hasBounds: sort.hasBounds, conditions)
    let order =
      positions.map { data.sorted($0, kind, by: sort) } ?? data.positions(kind, by: sort)
    return selection.run(on: try parameters.isDescending ? order : order.reversed())
      .map { json(of: kind, at: $0) }
  }

  /// Reads what all lists of posts have in common.
  func selection(
    of kind: Post.Kind, _ sort: QuestionSort, hasBounds: Bool, _ conditions: [(Post) -> Bool]
  ) throws(APIError) -> Selection<Int> {
    var selection = Selection<Int>(part: try parameters.part())
    _ = try parameters.isDescending
    var conditions = conditions
    if let values = try parameters.range(StackExchange.minimum, StackExchange.maximum) {
      guard hasBounds else {
        let minimum = try parameters[StackExchange.minimum]
        throw .badParameter((minimum == nil ? StackExchange.maximum : StackExchange.minimum).name)
      }
      conditions.append { values.contains($0.key(sort)) }
    }
    if let dates = try parameters.range(StackExchange.fromDate, StackExchange.toDate) {
      conditions.append { dates.contains($0.creationDate) }
    }
    let posts = data.posts(kind)
    selection.conditions = conditions.map { condition in { condition(posts[$0]) } }
    return selection
  }

  // MARK: JSON

  /// A post with its fields in the order in which the service sends them.
  func json(of kind: Post.Kind, at position: Int) -> JSONValue {
    kind == .question ? json(of: data.questions[position]) : json(ofAnswer: data.answers[position])
  }

  private func json(of question: Post) -> JSONValue {
    let (title, body) = PostText.question(question)
    let address = "\(data.site.address)/questions/\(question.identifier)"
    return JSONValue([
      "tags": Topic.all[question.topic].names(question.tags),
      "owner": question.owner,
      "is_answered": question.isAnswered,
      "view_count": question.viewCount,
      "protected_date": question.protectedDate,
      "bounty_amount": question.bountyAmount,
      "bounty_closes_date": question.bountyClosesDate,
      "closed_date": question.closedDate,
      "accepted_answer_id": question.acceptedAnswer.map { data.answers[$0].identifier },
      "answer_count": question.answerCount,
      "community_owned_date": question.communityOwnedDate,
      "score": question.score,
      "locked_date": question.lockedDate,
      "last_activity_date": question.lastActivityDate,
      "creation_date": question.creationDate,
      "last_edit_date": question.lastEditDate,
      "question_id": question.identifier,
      "content_license": question.license,
      "link": "\(address)/\(HTMLText.slug(title))",
      "closed_reason": question.closedReason,
      "title": HTMLText.encode(title),
      "body": withBody ? body() : nil,
    ])
  }

  private func json(ofAnswer answer: Post) -> JSONValue {
    JSONValue([
      "owner": answer.owner,
      "is_accepted": answer.isAccepted,
      "community_owned_date": answer.communityOwnedDate,
      "score": answer.score,
      "last_activity_date": answer.lastActivityDate,
      "last_edit_date": answer.lastEditDate,
      "creation_date": answer.creationDate,
      "answer_id": answer.identifier,
      "question_id": data.questions[answer.question].identifier,
      "content_license": answer.license,
      "body": withBody ? PostText.answer(answer) : nil,
    ])
  }
}
