public import Foundation

/// A downloaded quote, in which any field may be missing.
///
/// A parser sets the fields it finds; the merge decides whether the record is a valid ``Quote``.
/// For data that the parser itself cannot interpret, it creates a ``invalid(id:reason:)``, so that
/// one report lists every skipped record.
public struct QuoteRecord: Sendable, Equatable {
  /// The object id.
  public var id: String?
  /// The text.
  public var text: String?
  /// The author.
  public var author: String?
  /// How often it was read; nil counts as never.
  public var readCount: Int?
  /// When the service created it.
  public var createdAt: Date?
  /// When the service last changed it.
  public var updatedAt: Date?
  /// Why the parser found the record invalid.
  public var problem: String?

  /// Creates a record.
  public init(
    id: String? = nil, text: String? = nil, author: String? = nil, readCount: Int? = nil,
    createdAt: Date? = nil, updatedAt: Date? = nil
  ) {
    self.id = id
    self.text = text
    self.author = author
    self.readCount = readCount
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  /// Creates a record that has only the reason why it is invalid.
  public static func invalid(id: String?, reason: String) -> QuoteRecord {
    var record = QuoteRecord(id: id)
    record.problem = reason
    return record
  }

  /// The valid quote, or the reason why it is invalid.
  public var validated: Result<Quote, ValidationError> {
    if let problem { return .failure(ValidationError(reason: problem)) }
    guard let id, !id.isEmpty else { return .failure("it has no object id") }
    guard id.utf8.count <= Quote.maximumIDSize, !id.unicodeScalars.contains(where: Self.isControl)
    else { return .failure("its object id is too long or holds control characters") }
    guard let text, !text.allSatisfy(\.isWhitespace) else { return .failure("it has no text") }
    guard text.utf8.count <= Quote.maximumTextSize else {
      return .failure("its text is longer than \(Quote.maximumTextSize) bytes")
    }
    guard (author ?? "").utf8.count <= Quote.maximumAuthorSize else {
      return .failure("its author's name is longer than \(Quote.maximumAuthorSize) bytes")
    }
    guard (readCount ?? 0) >= 0 else { return .failure("its read count is negative") }
    guard [createdAt, updatedAt].allSatisfy(Self.isUsable) else {
      return .failure("one of its dates lies outside the years 1 to 9999")
    }
    return .success(
      Quote(
        id: id, text: text, author: author, readCount: readCount ?? 0, createdAt: createdAt,
        updatedAt: updatedAt))
  }

  /// Why a record is invalid.
  public struct ValidationError: Error, Sendable, Equatable, ExpressibleByStringInterpolation {
    /// A few words.
    public let reason: String

    /// Creates a reason.
    public init(reason: String) {
      self.reason = reason
    }

    /// Creates a reason from a literal.
    public init(stringLiteral reason: String) {
      self.reason = reason
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }

  /// Dates that are NaN, or exceed 64 bits of milliseconds, come from invalid input.
  private static func isUsable(_ date: Date?) -> Bool {
    guard let date else { return true }
    return (-62_135_596_800..<253_402_300_800).contains(date.timeIntervalSince1970)
  }
}
