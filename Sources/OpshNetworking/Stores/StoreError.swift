public import Operations

/// An error of the store; every kind has a stable code.
///
/// Calls are atomic: an error means that nothing has changed.
public struct StoreError: CodedError, Sendable, Equatable {
  /// The kinds of failure; the raw values are the stable codes.
  public enum Kind: String, Sendable, CaseIterable {
    /// There is no data directory, or the library SQLite is missing.
    case unavailable = "store-unavailable"
    /// The file was written by a later version of this program.
    case newer = "store-newer"
    /// The file is not a database, or parts of it cannot be read.
    case damaged = "store-damaged"
    /// The file is a database of another program.
    case foreign = "store-foreign"
    /// The file or its folder cannot be created, opened or written.
    case unwritable = "store-unwritable"
    /// The disk is full, or a quota or file size limit is reached.
    case full = "store-full"
    /// Another process was writing for longer than the time limit.
    case busy = "store-busy"
    /// The caller gave up before all was written.
    case interrupted = "store-interrupted"
    /// Anything else that SQLite reports.
    case failed = "store-failed"
    /// The text is invalid as a search tag.
    case invalidTag = "tag-invalid"
    /// The tag exists already.
    case duplicateTag = "tag-exists"
    /// The tag does not exist.
    case unknownTag = "tag-unknown"
    /// The quote does not exist.
    case unknownQuote = "quote-unknown"
    /// The cached response does not exist.
    case unknownResponse = "cache-unknown"
  }

  /// The kind of failure.
  public let kind: Kind
  /// One sentence for people, without a full stop at its end.
  public let message: String

  /// The stable code.
  public var code: String { kind.rawValue }
  /// The name of the page that explains it.
  public let topic: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - kind: The kind of failure.
  ///   - message: One sentence for people.
  ///   - topic: The name of the page that explains it, if not the code.
  public init(_ kind: Kind, _ message: String, topic: String? = nil) {
    self.kind = kind
    self.message = message
    self.topic = topic ?? kind.rawValue
  }

  /// Creates the error for a missing quote.
  public static func unknownQuote(_ id: String) -> StoreError {
    StoreError(.unknownQuote, "there is no quote '\(printable(id))'")
  }

  /// Creates the error for a missing tag.
  public static func unknownTag(_ text: String) -> StoreError {
    StoreError(.unknownTag, "there is no tag '\(printable(text))'")
  }

  /// Creates the error for an existing tag.
  public static func duplicateTag(_ text: String) -> StoreError {
    StoreError(.duplicateTag, "there is a tag '\(printable(text))' already")
  }

  /// Creates the error for a tag that is to be added twice at once.
  public static func repeatedTag(_ text: String) -> StoreError {
    StoreError(.duplicateTag, "the tag '\(printable(text))' is given twice")
  }

  /// Creates the error for a missing cached response.
  public static func unknownResponse(_ id: Int) -> StoreError {
    StoreError(.unknownResponse, "there is no cached response \(id)")
  }
}
