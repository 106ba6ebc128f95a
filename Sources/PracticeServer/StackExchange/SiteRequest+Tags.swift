import OpshJSON
import OpshWebAPIs

/// The orders of tags.
private enum TagSort: String, CaseIterable, APIWord {
  case popular, activity, name

  static let parameter = APIParameter<TagSort>("sort", default: .popular, help: "sort key")
}

extension SiteRequest {
  func tags() throws(APIError) -> Found<JSONValue> {
    let part = parameters.text("inname")?.lowercased()
    return try tags { name in part.map { name.contains($0) } ?? true }
  }

  func namedTags() throws(APIError) -> Found<JSONValue> {
    let names = Set(argument.lowercased().split(separator: ";").map(String.init))
    guard !names.isEmpty else { throw .unknownMethod }
    guard names.count <= 20 else { throw .badParameter("tags") }
    return try tags { names.contains($0) }
  }

  private func tags(
    where isIncluded: @escaping (String) -> Bool
  ) throws(APIError) -> Found<JSONValue> {
    typealias Tag = SiteData.TagUse
    let sort = try parameters[TagSort.parameter]
    var selection = Selection<Tag>(part: try parameters.part())
    let sign = try parameters.isDescending ? -1 : 1
    selection.conditions = [{ isIncluded($0.name) }]
    if let dates = try parameters.range(StackExchange.fromDate, StackExchange.toDate) {
      selection.conditions.append { dates.contains($0.firstUse) }
    }
    func names(_ left: Tag, _ right: Tag) -> Int {
      left.name == right.name ? 0 : left.name < right.name ? -1 : 1
    }
    switch sort {
    case .popular, .activity:
      func key(_ tag: Tag) -> Int { sort == .popular ? tag.count : tag.lastActivity }
      if let values = try parameters.range(StackExchange.minimum, StackExchange.maximum) {
        selection.conditions.append { values.contains(key($0)) }
      }
      // Of equal ones those with the lesser names come first, in a list that begins with the most.
      selection.order = [{ sign * (key($0) - key($1)) }, { -sign * names($0, $1) }]
    case .name:
      if let least = parameters.text("min") { selection.conditions.append { $0.name >= least } }
      if let most = parameters.text("max") { selection.conditions.append { $0.name <= most } }
      selection.order = [{ sign * names($0, $1) }]
    }
    return selection.run(on: data.tagUses).map { tag in
      JSONValue([
        // Tags with many questions tend to have other names.
        "has_synonyms": tag.count > 150,
        "is_moderator_only": false, "is_required": false, "count": tag.count, "name": tag.name,
      ])
    }
  }

  func info() -> Found<JSONValue> {
    let minutes = 14 * 365 * 24 * 60
    let (questions, answers) = (data.questions, data.answers)
    let item = JSONValue([
      "new_active_users": 7,
      "total_users": data.userCount,
      "badges_per_minute": JSONValue.thousandths(2),
      "total_badges": data.userCount * 9,
      "total_votes": questions.count * 11,
      "total_comments": questions.count * 4,
      "answers_per_minute": JSONValue.thousandths(answers.count * 1000 / minutes),
      "questions_per_minute": JSONValue.thousandths(questions.count * 1000 / minutes),
      "total_answers": answers.count,
      "total_accepted": answers.count { $0.isAccepted },
      "total_unanswered": questions.count { !$0.isAnswered },
      "total_questions": questions.count,
      "api_revision": "practice",
    ])
    return Found(items: [item], total: 1, hasMore: false)
  }
}

/// The lists that need no site.
extension StackExchangeMethod {
  private static let pagesize = APIParameter<Int>(
    "pagesize", 0...1_000, default: 30, help: "items on a page")

  static func sites(_ parameters: Parameters) throws(APIError) -> Found<JSONValue> {
    Selection(part: try parameters.part(size: pagesize)).run(on: Site.all).map(\.json)
  }

  static func errors(_ parameters: Parameters) throws(APIError) -> Found<JSONValue> {
    Selection(part: try parameters.part()).run(on: APIError.all).map { error in
      JSONValue([
        "description": error["message"], "error_name": error["name"], "error_id": error["id"],
      ])
    }
  }

  /// The error that a client asks for.
  static func simulated(_ text: String) throws(APIError) -> APIError {
    guard let identifier = Int(text) else { throw .unknownMethod }
    let error = APIError(identifier)
    guard !error.name.isEmpty else { throw .badParameter("id") }
    return error
  }
}
