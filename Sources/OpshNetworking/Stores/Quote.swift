public import Foundation

/// A quote in the store.
public struct Quote: Sendable, Equatable, Identifiable {
  /// The greatest length of an id in bytes of UTF-8.
  public static let maximumIDSize: Int = 200
  /// The greatest length of the text in bytes of UTF-8.
  public static let maximumTextSize: Int = 65_536
  /// The greatest length of the author's name in bytes of UTF-8.
  public static let maximumAuthorSize: Int = 1_000

  /// The object id from the service.
  public let id: String
  /// The text; never blank.
  public let text: String
  /// The author, if known.
  public let author: String?
  /// How often it was read; never negative.
  public let readCount: Int
  /// When the service created it.
  public let createdAt: Date?
  /// When the service last changed it.
  public let updatedAt: Date?

  /// Creates a quote.
  public init(
    id: String, text: String, author: String? = nil, readCount: Int = 0, createdAt: Date? = nil,
    updatedAt: Date? = nil
  ) {
    self.id = id
    self.text = text
    self.author = author
    self.readCount = readCount
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}
