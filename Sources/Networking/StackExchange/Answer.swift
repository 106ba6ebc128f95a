public import Foundation

/// Holds an answer as the API's default filter sends it: without title, link and tags.
public struct Answer: Sendable, Equatable, Decodable {
  /// The number on its site.
  public var answerID: Int
  /// The question that it answers.
  public var questionID: Int
  /// Who answered; nil when nothing is known.
  public var owner: ShallowUser?
  /// Whether who asked accepted it.
  public var isAccepted: Bool
  /// Votes for less votes against.
  public var score: Int
  /// When it was given.
  public var creationDate: Date
  /// When anything about it last changed.
  public var lastActivityDate: Date
  /// When it was last edited.
  public var lastEditDate: Date?
  /// When it was given to the community.
  public var communityOwnedDate: Date?
  /// When it was locked.
  public var lockedDate: Date?
  /// The licence of its text.
  public var contentLicense: String?
  /// The text as HTML, with a filter that has it.
  public var body: String?

  private enum CodingKeys: String, CodingKey {
    case answerID = "answer_id"
    case questionID = "question_id"
    case owner
    case isAccepted = "is_accepted"
    case score
    case creationDate = "creation_date"
    case lastActivityDate = "last_activity_date"
    case lastEditDate = "last_edit_date"
    case communityOwnedDate = "community_owned_date"
    case lockedDate = "locked_date"
    case contentLicense = "content_license"
    case body
  }
}
