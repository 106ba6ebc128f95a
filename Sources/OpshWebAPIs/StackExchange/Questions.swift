public import Foundation

/// The questions of a site.
public enum Questions: StackExchangeEndpoint {
  /// The sort key.
  public static let sort = APIParameter<QuestionSort>(
    "sort", default: .activity, option: "sort", help: "sort key")
  /// The tags that a question must have, all of them.
  public static let tagged = APIParameter<[String]>(
    "tagged", separator: ";", option: "tagged", help: "only questions with all of these tags")
  /// Only these questions.
  public static let ids = APIParameter<[Int]>(
    "ids", separator: ";", path: "questions/{ids}", help: "only the questions with these ids")

  /// The name in commands.
  public static let name = "questions"
  /// The parameters.
  public static let parameters = StackExchange.parameters(sort: sort, tagged, ids)

  /// The description in the help of its command.
  public static let discussion = """
    Builds an operation that asks the Stack Exchange API for questions and decodes them. The \
    practice server answers unless 'endpoint' says otherwise.
    """
  /// The examples in the help of its command.
  public static let examples = [
    (
      text: "fetch questions --cached; wait; fetch questions --cached; wait; show last",
      explanation: "the second time the server only says that nothing has changed"
    ),
    (
      text: "fetch questions --tagged swift,ios --sort votes --name best",
      explanation: "the best of those with both tags"
    ),
  ]

  /// The table of a page.
  public static let columns: [APIColumn<Question>] = [
    .init("score", .trailing) { "\($0.score)" },
    .init("answers", .trailing, style: { $0.isAnswered ? .good : .plain }) { "\($0.answerCount)" },
    .init("title", .flexible) { $0.title },
    .init("tags", .upTo(30), style: { _ in .dim }) { $0.tags.joined(separator: " ") },
    .init("asked by") { $0.owner?.displayName },
  ]

  /// The fields of a question with the API's default filter.
  public struct Fields: APIFields {
    /// The id on its site.
    public let questionID = APIField<Int>("question_id")
    /// The title, without entities.
    public let title = APIField<String>("title")
    /// The tags.
    public let tags = APIField<[String]>("tags")
    /// The author; nil if unknown.
    public let owner = APIField<ShallowUser?>("owner")
    /// Whether it has an answer that was accepted or up-voted.
    public let isAnswered = APIField<Bool>("is_answered")
    /// The number of views.
    public let viewCount = APIField<Int>("view_count")
    /// How many answers it has.
    public let answerCount = APIField<Int>("answer_count")
    /// Up-votes minus down-votes.
    public let score = APIField<Int>("score")
    /// When it was created.
    public let creationDate = APIField<Date>("creation_date")
    /// When anything about it last changed.
    public let lastActivityDate = APIField<Date>("last_activity_date")
    /// The address of its page.
    public let link = APIField<String>("link")
    /// The accepted answer.
    public let acceptedAnswerID = APIField<Int?>("accepted_answer_id")
    /// When it was last edited.
    public let lastEditDate = APIField<Date?>("last_edit_date")
    /// When it was protected.
    public let protectedDate = APIField<Date?>("protected_date")
    /// When it became a community wiki.
    public let communityOwnedDate = APIField<Date?>("community_owned_date")
    /// When it was locked.
    public let lockedDate = APIField<Date?>("locked_date")
    /// When it was closed.
    public let closedDate = APIField<Date?>("closed_date")
    /// Why it was closed.
    public let closedReason = APIField<String?>("closed_reason")
    /// The bounty on it.
    public let bountyAmount = APIField<Int?>("bounty_amount")
    /// When the bounty ends.
    public let bountyClosesDate = APIField<Date?>("bounty_closes_date")
    /// The licence of its text.
    public let contentLicense = APIField<String?>("content_license")
    /// The text as HTML, if the filter includes it.
    public let body = APIField<String?>("body")

    /// The fields.
    public static let list = APIFieldList(Fields())
  }
}

/// A question as the API's default filter sends it.
public typealias Question = APIRecord<Questions.Fields>

/// A query for a page of questions.
public typealias QuestionsQuery = APIQuery<Questions>

/// A sort key of questions.
public enum QuestionSort: String, Sendable, CaseIterable, APIWord {
  /// The last change of any kind.
  case activity
  /// The time they were asked.
  case creation
  /// Their score.
  case votes
  /// Currently discussed; supports no minimum and maximum.
  case hot
  /// The best of the week; supports no minimum and maximum.
  case week
  /// The best of the month; supports no minimum and maximum.
  case month
}
