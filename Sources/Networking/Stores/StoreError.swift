public import Operations

/// Says why the store could not do what it was asked; every kind has a stable code.
///
/// An error never means that something was half done: what a call changes is one transaction.
public struct StoreError: CodedError, Sendable, Equatable {
  /// The kinds of failure; the raw values are the stable codes.
  public enum Kind: String, Sendable, CaseIterable {
    /// There is no place for the data, or the library SQLite is missing.
    case unavailable = "store-unavailable"
    /// The file was written by a later version of this program.
    case newer = "store-newer"
    /// The file is no database, or parts of it cannot be read.
    case damaged = "store-damaged"
    /// The file is a database, but another program's.
    case foreign = "store-foreign"
    /// The file or its folder cannot be made, opened or written.
    case unwritable = "store-unwritable"
    /// The disk, a quota or a limit on the size of files is exhausted.
    case full = "store-full"
    /// Another process was writing for longer than this one waits.
    case busy = "store-busy"
    /// Anything else that SQLite reports.
    case failed = "store-failed"
    /// The text cannot be a search tag.
    case invalidTag = "tag-invalid"
    /// There is such a tag already.
    case duplicateTag = "tag-exists"
    /// There is no such tag.
    case unknownTag = "tag-unknown"
    /// There is no such quote.
    case unknownQuote = "quote-unknown"
    /// There is no such cached response.
    case unknownResponse = "cache-unknown"
  }

  /// The kind of failure.
  public let kind: Kind
  /// One sentence for people, without a full stop at its end.
  public let message: String

  /// The stable code.
  public var code: String { kind.rawValue }

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - kind: The kind of failure.
  ///   - message: One sentence, without a full stop.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// Creates the error for a quote that is not there.
  ///
  /// - Parameter id: The id that was asked for.
  /// - Returns: The error.
  public static func unknownQuote(_ id: String) -> StoreError {
    StoreError(.unknownQuote, "there is no quote '\(printable(id))'")
  }

  /// Creates the error for a tag that is not there.
  ///
  /// - Parameter text: The tag that was asked for.
  /// - Returns: The error.
  public static func unknownTag(_ text: String) -> StoreError {
    StoreError(.unknownTag, "there is no tag '\(printable(text))'")
  }

  /// Creates the error for a tag that is there already.
  ///
  /// - Parameter text: The tag as it is kept.
  /// - Returns: The error.
  public static func duplicateTag(_ text: String) -> StoreError {
    StoreError(.duplicateTag, "there is a tag '\(printable(text))' already")
  }

  /// Creates the error for a cached response that is not there.
  ///
  /// - Parameter id: The number that was asked for.
  /// - Returns: The error.
  public static func unknownResponse(_ id: Int) -> StoreError {
    StoreError(.unknownResponse, "there is no cached response \(id)")
  }
}
