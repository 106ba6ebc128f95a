import Foundation
import OpshNetworking

/// Stores search tags in the database.
struct SQLiteTagStore: TagStore {
  let database: Database

  func list() throws(StoreError) -> [SearchTag] {
    try database.read { connection throws(StoreError) in
      try connection.rows("SELECT text, added FROM tags ORDER BY id", body: Self.tag)
    }
  }

  func add(_ texts: [String], now: Date) throws(StoreError) -> [SearchTag] {
    var checked: [String] = []
    for text in texts { checked.append(try SearchTag.checked(text)) }
    guard !checked.isEmpty else { return [] }
    return try database.write { connection throws(StoreError) in
      var tags: [SearchTag] = []
      var keys: Set<String> = []
      for text in checked {
        let key = SearchTag.comparisonKey(of: text)
        guard keys.insert(key).inserted else { throw .repeatedTag(text) }
        if let old = try Self.find(key, connection) { throw .duplicateTag(old.text) }
        try connection.run(
          "INSERT INTO tags (text, folded, added) VALUES (?, ?, ?)", .text(text), .text(key),
          .time(now))
        if let tag = try Self.find(key, connection) { tags.append(tag) }
      }
      return tags
    }
  }

  func remove(_ texts: [String]) throws(StoreError) -> [SearchTag] {
    guard !texts.isEmpty else { return [] }
    return try database.write { connection throws(StoreError) in
      var tags: [SearchTag] = []
      for text in texts {
        let key = try Self.key(of: text)
        guard let old = try Self.find(key, connection) else { throw .unknownTag(text) }
        try connection.run("DELETE FROM tags WHERE folded = ?", .text(key))
        tags.append(old)
      }
      return tags
    }
  }

  func rename(_ text: String, to newText: String) throws(StoreError) -> SearchTag {
    let newText = try SearchTag.checked(newText)
    let newKey = SearchTag.comparisonKey(of: newText)
    return try database.write { connection throws(StoreError) in
      let key = try Self.key(of: text)
      guard let old = try Self.find(key, connection) else { throw .unknownTag(text) }
      if newKey != key, let other = try Self.find(newKey, connection) {
        throw .duplicateTag(other.text)
      }
      try connection.run(
        "UPDATE tags SET text = ?, folded = ? WHERE folded = ?", .text(newText), .text(newKey),
        .text(key))
      return SearchTag(text: newText, addedAt: old.addedAt)
    }
  }

  func removeAll() throws(StoreError) -> Int {
    try database.write { connection throws(StoreError) in
      try connection.run("DELETE FROM tags")
      return connection.changes
    }
  }

  /// The key of a tag that should exist; an invalid text does not exist.
  private static func key(of text: String) throws(StoreError) -> String {
    guard let checked = try? SearchTag.checked(text) else { throw .unknownTag(text) }
    return SearchTag.comparisonKey(of: checked)
  }

  private static func find(
    _ key: String, _ connection: Connection
  ) throws(StoreError) -> SearchTag? {
    try connection.first(
      "SELECT text, added FROM tags WHERE folded = ?", .text(key), body: tag)
  }

  private static func tag(_ row: Row) -> SearchTag {
    SearchTag(text: row.text(0), addedAt: row.time(1))
  }
}
