public import Foundation

/// Persistent storage of search tags, in the order in which they were added.
///
/// ``SearchTag`` defines valid and equal tags. All calls block for the time of a small file access.
public protocol TagStore: Sendable {
  /// Returns all tags in the order in which they were added.
  func list() throws(StoreError) -> [SearchTag]

  /// Adds tags at the end, all of them or, on an error, none.
  ///
  /// - Parameters:
  ///   - texts: The tags in their order.
  ///   - now: The time to note with them.
  /// - Returns: The tags as they are kept.
  /// - Throws: `StoreError`, of the kind `invalidTag` or `duplicateTag` for a text that cannot be
  ///   added.
  func add(_ texts: [String], now: Date) throws(StoreError) -> [SearchTag]

  /// Removes tags, all of them or, on an error, none.
  ///
  /// - Parameter texts: The tags.
  /// - Returns: The tags as they were kept.
  /// - Throws: `StoreError`, of the kind `unknownTag` for one that is not there.
  func remove(_ texts: [String]) throws(StoreError) -> [SearchTag]

  /// Renames a tag and keeps its position.
  ///
  /// - Parameters:
  ///   - text: The tag.
  ///   - newText: Its new text; may differ from the old one in the case of letters only.
  /// - Returns: The tag with its new text.
  /// - Throws: `StoreError`, of the kind `unknownTag`, `invalidTag` or `duplicateTag`.
  func rename(_ text: String, to newText: String) throws(StoreError) -> SearchTag

  /// Removes all tags; returns how many there were.
  func removeAll() throws(StoreError) -> Int
}

extension TagStore {
  /// Adds one tag at the end.
  ///
  /// - Parameters:
  ///   - text: The tag.
  ///   - now: The time to note with it.
  /// - Throws: `StoreError`, of the kind `invalidTag` or `duplicateTag`.
  public func add(_ text: String, now: Date = Date()) throws(StoreError) {
    _ = try add([text], now: now)
  }

  /// Removes one tag.
  ///
  /// - Parameter text: The tag.
  /// - Throws: `StoreError`, of the kind `unknownTag` where it is not there.
  public func remove(_ text: String) throws(StoreError) {
    _ = try remove([text])
  }
}
