public import Foundation

/// A text to search for, stored until it is removed.
///
/// A tag is a single line of text without control characters: `c++`, `R&D`, `日本語`, an emoji,
/// right-to-left text. White space around it is removed. Tags are equal if they differ only in the
/// case of letters or in Unicode composition (`é` as one scalar or as two), because the search
/// makes no difference there either. The spelling is stored as it was given.
public struct SearchTag: Sendable, Equatable {
  /// The greatest length in Unicode scalars.
  public static let maximumLength: Int = 500

  /// The text as it was given, without white space around it.
  public let text: String
  /// When it was added; renaming does not change it.
  public let addedAt: Date

  /// Creates a tag.
  public init(text: String, addedAt: Date) {
    self.text = text
    self.addedAt = addedAt
  }

  /// Validates a text and trims white space.
  ///
  /// - Parameter text: The text as it was given.
  /// - Returns: The text as it is stored.
  /// - Throws: `StoreError` of the kind `invalidTag` for a text without visible characters, a text
  ///   that is too long, or one with a control character such as a line break.
  public static func checked(_ text: String) throws(StoreError) -> String {
    // By scalars: a combining mark makes one character with a space before it.
    let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    var scalars = text.unicodeScalars[...]
    while let first = scalars.first, isBlank(first) { scalars.removeFirst() }
    while let last = scalars.last, isBlank(last) { scalars.removeLast() }
    let isVisible = scalars.contains { !isBlank($0) && !$0.properties.isDefaultIgnorableCodePoint }
    guard isVisible else { throw StoreError(.invalidTag, "a tag needs at least one character") }
    guard scalars.count <= maximumLength else {
      throw StoreError(
        .invalidTag, "a tag has at most \(maximumLength) characters, this one has \(scalars.count)")
    }
    guard !scalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw StoreError(
        .invalidTag, "the tag '\(printable(String(scalars)))' holds a control character")
    }
    return String(scalars)
  }

  /// Returns a key that is the same for equal tags.
  ///
  /// - Parameter text: A text that was checked.
  /// - Returns: Its canonical composition in lower case.
  public static func comparisonKey(of text: String) -> String {
    // The two small sigmas have one capital, so that lower case alone would tell ΟΔΟΣ from οδος.
    text.lowercased().replacing("ς", with: "σ").precomposedStringWithCanonicalMapping
  }
}
