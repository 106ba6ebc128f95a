import Foundation
import OpshNetworking
import Testing

@testable import OpshPersistence

@Suite("Migrations of the store", .timeLimit(.minutes(15)))
struct MigrationTests {
  private static let first = Schema.migrations
  private static let second = Migration(
    version: 2, statements: ["ALTER TABLE tags ADD COLUMN note TEXT NOT NULL DEFAULT 'none'"])
  private static let third = Migration(
    version: 3, statements: ["CREATE TABLE notes (x) STRICT", "UPDATE tags SET note = 'three'"])

  private func store(_ folder: StoreFolder, _ migrations: [Migration]) -> SQLiteStore {
    SQLiteStore(directory: folder.path, busyTimeout: .seconds(5), migrations: migrations)
  }

  private func notes(_ store: SQLiteStore) throws -> [String] {
    try store.database.read { connection throws(StoreError) in
      try connection.rows("SELECT note FROM tags ORDER BY id") { $0.text(0) }
    }
  }

  @Test("Versions count from 1 without gaps")
  func versions() {
    #expect(Schema.migrations.map(\.version) == Array(1...Schema.migrations.count))
  }

  @Test("An older store is migrated step by step and keeps its data")
  func upToDate() throws {
    let folder = try StoreFolder()
    let old = store(folder, Self.first)
    _ = try old.tags.add(["a", "b"], now: Date())
    old.close()
    let middle = store(folder, Self.first + [Self.second])
    #expect(try middle.formatVersion() == 2)
    #expect(try notes(middle) == ["none", "none"])
    middle.close()
    let new = store(
      folder,
      Self.first + [
        Self.second,
        .init(
          version: 3,
          statements: [
            "UPDATE tags SET note = 'three'"
          ]),
      ])
    #expect(try notes(new) == ["three", "three"])
    #expect(try new.tags.list().map(\.text) == ["a", "b"])
    #expect(code { _ = try old.tags.list() } == "store-newer")
  }

  @Test("A failed migration step is rolled back, and the steps before it stay")
  func failing() throws {
    let folder = try StoreFolder()
    let old = store(folder, Self.first)
    try old.tags.add("a")
    old.close()
    // A strict table needs types, so this step fails.
    let broken = store(folder, Self.first + [Self.second, Self.third])
    #expect(code { _ = try broken.tags.list() } == "store-failed")
    #expect(code { try broken.tags.add("b") } == "store-failed")
    let middle = store(folder, Self.first + [Self.second])
    #expect(try middle.formatVersion() == 2)
    #expect(try notes(middle) == ["none"])
  }

  @Test("Of several processes that find an old store one migrates it, and all continue")
  func together() throws {
    let folder = try StoreFolder()
    let old = store(folder, Self.first)
    try old.tags.add("a")
    old.close()
    let stores = (0..<8).map { _ in store(folder, Self.first + [Self.second]) }
    let isOver = onThreads(8) { index in
      #expect(code { try stores[index].tags.add("from \(index)") } == "ok")
    }
    #expect(isOver)
    #expect(try stores[0].tags.list().count == 9)
    #expect(try stores[0].formatVersion() == 2)
  }
}
