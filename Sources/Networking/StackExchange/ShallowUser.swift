/// Names a user of the site; of a deleted one little is left, so every field may be missing.
public struct ShallowUser: Sendable, Equatable, Decodable {
  /// The number on this site; missing for a deleted user.
  public var userID: Int?
  /// The number across all sites.
  public var accountID: Int?
  /// The name, without entities.
  public var displayName: String?
  /// The reputation.
  public var reputation: Int?
  /// The share of questions with an accepted answer, in percent.
  public var acceptRate: Int?
  /// `registered`, `unregistered`, `moderator`, `team_admin` or `does_not_exist`.
  public var userType: String?
  /// The address of the picture.
  public var profileImage: String?
  /// The address of the page.
  public var link: String?

  private enum CodingKeys: String, CodingKey {
    case userID = "user_id"
    case accountID = "account_id"
    case displayName = "display_name"
    case reputation
    case acceptRate = "accept_rate"
    case userType = "user_type"
    case profileImage = "profile_image"
    case link
  }
}
