public import OpshJSON

/// An endpoint of the Stack Exchange API that answers with pages of items.
public protocol StackExchangeEndpoint: APIEndpoint {
  /// The fields of an item.
  associatedtype Fields: APIFields
  /// The description in the help of its command.
  static var discussion: String { get }
  /// The examples in the help of its command.
  static var examples: [(text: String, explanation: String)] { get }
  /// The table of a page.
  static var columns: [APIColumn<APIRecord<Fields>>] { get }
}

extension StackExchangeEndpoint {
  /// The version.
  public static var root: String { "/{version}/" }
}

/// The common parts of the endpoints of the Stack Exchange API.
public enum StackExchange: Sendable {
  /// The endpoints of the client.
  public static let endpoints: [any StackExchangeEndpoint.Type] = [Questions.self, Answers.self]

  /// A version of the API.
  public enum Version: String, Sendable, CaseIterable, APIWord {
    /// Version 2.2.
    case version22 = "2.2"
    /// Version 2.3, the current one.
    case version23 = "2.3"
  }

  /// A sort direction.
  public enum Order: String, Sendable, CaseIterable, APIWord {
    /// Greatest or newest first.
    case descending = "desc"
    /// Smallest or oldest first.
    case ascending = "asc"
  }

  /// The site of the network; the service requires it.
  public static let site = APIParameter<String?>(
    "site", default: nil, initial: "stackoverflow", option: "site", help: "site of the network")
  /// The page.
  public static let page = APIParameter<Int>(
    "page", 1...(.max), default: 1, option: "page", help: "number of the page")
  /// The page size.
  public static let pagesize = APIParameter<Int>(
    "pagesize", 0...100, default: 30, option: "pagesize", help: "items on a page")
  /// The sort direction.
  public static let order = APIParameter<Order>(
    "order", default: .descending, option: "order", help: "direction of the sort")
  /// The least value of the sort key.
  public static let minimum = APIParameter<Int?>(
    "min", default: nil, option: "min", help: "lower bound of the sort key")
  /// The greatest value of the sort key.
  public static let maximum = APIParameter<Int?>(
    "max", default: nil, option: "max", help: "upper bound of the sort key")
  /// The earliest creation time, in seconds since 1970.
  public static let fromDate = APIParameter<Int?>(
    "fromdate", 0...(.max), default: nil, option: "fromdate",
    help: "created at this time or later, in epoch seconds")
  /// The latest creation time, in seconds since 1970.
  public static let toDate = APIParameter<Int?>(
    "todate", 0...(.max), default: nil, option: "todate",
    help: "created at this time or earlier, in epoch seconds")
  /// The filter that selects the fields in the response.
  public static let filter = APIParameter<String?>(
    "filter", default: nil, option: "filter", help: "fields to send: default, withbody, none, total"
  )
  /// The version, which stands in the path.
  public static let version = APIParameter<Version>(
    "version", default: .version23, initial: .version23, option: "version",
    help: "version of the API")

  /// The fields of a page.
  public struct WrapperFields: APIFields {
    /// The items; missing with some filters.
    public let items = APIField<[JSONValue]?>("items")
    /// Whether another page follows.
    public let hasMore = APIField<Bool?>("has_more")
    /// The backoff of the method in seconds.
    public let backoff = APIField<Int?>("backoff")
    /// The daily quota of requests.
    public let quotaMax = APIField<Int?>("quota_max")
    /// The remaining quota.
    public let quotaRemaining = APIField<Int?>("quota_remaining")
    /// The number of items on all pages, if the filter requests it.
    public let total = APIField<Int?>("total")

    /// The fields.
    public static let list = APIFieldList(WrapperFields())
  }

  /// Returns the parameters of an endpoint, in the order of a request.
  public static func parameters(
    sort: any APIParameterDeclaration, _ own: any APIParameterDeclaration...
  ) -> [any APIParameterDeclaration] {
    [site, page, pagesize, order, sort] + own
      + [minimum, maximum, fromDate, toDate, filter, version]
  }
}

/// A sort key of all posts.
public enum PostSort: String, Sendable, CaseIterable, APIWord {
  /// The last change of any kind.
  case activity
  /// The time of their creation.
  case creation
  /// Their score.
  case votes
}

/// The fields of a user of a site; a deleted one has few of them.
public struct ShallowUserFields: APIFields {
  /// The id on this site; missing for a deleted user.
  public let userID = APIField<Int?>("user_id")
  /// The id across all sites.
  public let accountID = APIField<Int?>("account_id")
  /// The name, without entities.
  public let displayName = APIField<String?>("display_name")
  /// The reputation.
  public let reputation = APIField<Int?>("reputation")
  /// The share of questions with an accepted answer, in percent.
  public let acceptRate = APIField<Int?>("accept_rate")
  /// `registered`, `unregistered`, `moderator`, `team_admin` or `does_not_exist`.
  public let userType = APIField<String?>("user_type")
  /// The address of the picture.
  public let profileImage = APIField<String?>("profile_image")
  /// The address of the page.
  public let link = APIField<String?>("link")

  /// The fields.
  public static let list = APIFieldList(ShallowUserFields())
}

/// A user of a site.
public typealias ShallowUser = APIRecord<ShallowUserFields>
