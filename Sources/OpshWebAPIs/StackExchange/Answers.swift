public import Foundation

/// The answers of a site.
public enum Answers: StackExchangeEndpoint {
  /// The sort key.
  public static let sort = APIParameter<PostSort>(
    "sort", default: .activity, option: "sort", help: "sort key")
  /// Only answers to these questions; takes precedence over the ids of answers.
  public static let questionIDs = APIParameter<[Int]>(
    "ids", 1...(.max), separator: ";", path: "questions/{ids}/answers", option: "question",
    help: "only answers to the questions with these ids")
  /// Only these answers.
  public static let ids = APIParameter<[Int]>(
    "ids", separator: ";", path: "answers/{ids}", help: "only the answers with these ids")

  /// The name in commands.
  public static let name = "answers"
  /// The parameters.
  public static let parameters = StackExchange.parameters(sort: sort, questionIDs, ids)

  /// The description in the help of its command.
  public static let discussion = """
    Builds an operation that asks the Stack Exchange API for answers and decodes them: the newest \
    ones of the site, or with '--question' those to certain questions.
    """
  /// The examples in the help of its command.
  public static let examples = [
    (
      text: "fetch answers --name Answers-Retrieval --completion; wait; log Answers-Retrieval",
      explanation: "its completion handler is called before it is finished"
    ),
    (
      text: "fetch questions; fetch answers --after questions-1; deps answers-1",
      explanation: "answers that wait for questions"
    ),
  ]

  /// The table of a page.
  public static let columns: [APIColumn<Answer>] = [
    .init("answer", .trailing) { "\($0.answerID)" },
    .init("question", .trailing) { "\($0.questionID)" },
    .init("score", .trailing) { "\($0.score)" },
    .init("accepted", style: { _ in .good }) { $0.isAccepted ? "✓" : "" },
    .init("answered by", .flexible) { $0.owner?.displayName },
  ]

  /// The fields of an answer with the API's default filter: no title, link and tags.
  public struct Fields: APIFields {
    /// The id on its site.
    public let answerID = APIField<Int>("answer_id")
    /// The question that it answers.
    public let questionID = APIField<Int>("question_id")
    /// The author; nil if unknown.
    public let owner = APIField<ShallowUser?>("owner")
    /// Whether the author of the question accepted it.
    public let isAccepted = APIField<Bool>("is_accepted")
    /// Up-votes minus down-votes.
    public let score = APIField<Int>("score")
    /// When it was created.
    public let creationDate = APIField<Date>("creation_date")
    /// When anything about it last changed.
    public let lastActivityDate = APIField<Date>("last_activity_date")
    /// When it was last edited.
    public let lastEditDate = APIField<Date?>("last_edit_date")
    /// When it became a community wiki.
    public let communityOwnedDate = APIField<Date?>("community_owned_date")
    /// When it was locked.
    public let lockedDate = APIField<Date?>("locked_date")
    /// The licence of its text.
    public let contentLicense = APIField<String?>("content_license")
    /// The text as HTML, if the filter includes it.
    public let body = APIField<String?>("body")

    /// The fields.
    public static let list = APIFieldList(Fields())
  }
}

/// An answer as the API's default filter sends it.
public typealias Answer = APIRecord<Answers.Fields>

/// A query for a page of answers.
public typealias AnswersQuery = APIQuery<Answers>
