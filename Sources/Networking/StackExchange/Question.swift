public import Foundation

/// Holds a question as the API's default filter sends it.
public struct Question: Sendable, Equatable, Decodable {
  /// The number on its site.
  public var questionID: Int
  /// The title, without entities.
  public var title: String
  /// The tags.
  public var tags: [String]
  /// Who asked; nil when nothing is known.
  public var owner: ShallowUser?
  /// Whether an answer was accepted or voted for.
  public var isAnswered: Bool
  /// How often it was looked at.
  public var viewCount: Int
  /// How many answers it has.
  public var answerCount: Int
  /// Votes for less votes against.
  public var score: Int
  /// When it was asked.
  public var creationDate: Date
  /// When anything about it last changed.
  public var lastActivityDate: Date
  /// The address of its page.
  public var link: String
  /// The accepted answer.
  public var acceptedAnswerID: Int?
  /// When it was last edited.
  public var lastEditDate: Date?
  /// When it was protected.
  public var protectedDate: Date?
  /// When it was given to the community.
  public var communityOwnedDate: Date?
  /// When it was locked.
  public var lockedDate: Date?
  /// When it was closed.
  public var closedDate: Date?
  /// Why it was closed.
  public var closedReason: String?
  /// The bounty on it.
  public var bountyAmount: Int?
  /// When the bounty ends.
  public var bountyClosesDate: Date?
  /// The licence of its text.
  public var contentLicense: String?
  /// The text as HTML, with a filter that has it.
  public var body: String?

  private enum CodingKeys: String, CodingKey {
    case questionID = "question_id"
    case title
    case tags
    case owner
    case isAnswered = "is_answered"
    case viewCount = "view_count"
    case answerCount = "answer_count"
    case score
    case creationDate = "creation_date"
    case lastActivityDate = "last_activity_date"
    case link
    case acceptedAnswerID = "accepted_answer_id"
    case lastEditDate = "last_edit_date"
    case protectedDate = "protected_date"
    case communityOwnedDate = "community_owned_date"
    case lockedDate = "locked_date"
    case closedDate = "closed_date"
    case closedReason = "closed_reason"
    case bountyAmount = "bounty_amount"
    case bountyClosesDate = "bounty_closes_date"
    case contentLicense = "content_license"
    case body
  }
}
