import Foundation
import OpshNetworking
import Testing

@testable import OpshPersistence

@Suite("Search tags in the store", .timeLimit(.minutes(15)))
struct TagStoreTests {
  private let tags = SQLiteStore.inMemory().tags

  private func texts() throws -> [String] { try tags.list().map(\.text) }

  @Test("Tags are listed in the order in which they were added")
  func order() throws {
    let names = ["zebra", "c++", "R&D", "日本語", "👩‍👩‍👧‍👦", "שלום", "a b", "%", "'\"\\"]
    for name in names { try tags.add(name) }
    #expect(try texts() == names)
    try tags.remove("R&D")
    try tags.add("r&d")
    #expect(try texts().last == "r&d")
  }

  @Test("A tag keeps its spelling and the time it was added")
  func kept() throws {
    let now = Date(timeIntervalSince1970: 1_000.5)
    #expect(
      try tags.add(["  Swift "], now: now) == [SearchTag(text: "Swift", addedAt: now)])
    #expect(try tags.list() == [SearchTag(text: "Swift", addedAt: now)])
  }

  @Test("A tag that exists in another spelling is rejected")
  func duplicates() throws {
    try tags.add("Swift")
    try tags.add("é")
    for text in ["Swift", "swift", " SWIFT ", "e\u{301}", "É"] {
      #expect(code { try tags.add(text) } == "tag-exists")
    }
    #expect(try texts() == ["Swift", "é"])
  }

  @Test("Adding or removing several tags is all or nothing")
  func several() throws {
    _ = try tags.add(["a", "b"], now: Date())
    #expect(code { _ = try tags.add(["c", "A", "d"], now: Date()) } == "tag-exists")
    #expect(code { _ = try tags.add(["c", "C"], now: Date()) } == "tag-exists")
    #expect(code { _ = try tags.add(["c", ""], now: Date()) } == "tag-invalid")
    #expect(code { _ = try tags.remove(["a", "x"]) } == "tag-unknown")
    #expect(code { _ = try tags.remove(["a", "a"]) } == "tag-unknown")
    #expect(try texts() == ["a", "b"])
    #expect(try tags.remove(["B", "a"]).map(\.text) == ["b", "a"])
    #expect(try texts().isEmpty)
    #expect(try tags.add([], now: Date()).isEmpty)
    #expect(try tags.remove([]).isEmpty)
  }

  @Test("A renamed tag keeps its position and its time")
  func rename() throws {
    let now = Date(timeIntervalSince1970: 7)
    _ = try tags.add(["one", "two", "three"], now: now)
    #expect(try tags.rename("TWO", to: " zwei ") == SearchTag(text: "zwei", addedAt: now))
    #expect(try texts() == ["one", "zwei", "three"])
    #expect(try tags.rename("zwei", to: "Zwei").text == "Zwei")
    #expect(try tags.rename("Zwei", to: "Zwei").text == "Zwei")
    #expect(code { _ = try tags.rename("Zwei", to: "ONE") } == "tag-exists")
    #expect(code { _ = try tags.rename("two", to: "x") } == "tag-unknown")
    #expect(code { _ = try tags.rename("\u{0}", to: "x") } == "tag-unknown")
    #expect(code { _ = try tags.rename("one", to: "a\nb") } == "tag-invalid")
    #expect(try texts() == ["one", "Zwei", "three"])
  }

  @Test("All tags are removed at once")
  func removeAll() throws {
    _ = try tags.add(["a", "b"], now: Date())
    #expect(try tags.removeAll() == 2)
    #expect(try tags.removeAll() == 0)
    #expect(try texts().isEmpty)
  }

  @Test("Errors quote a tag with its control characters escaped")
  func messages() {
    let error = #expect(throws: StoreError.self) { try tags.remove("a\u{1B}[31m") }
    #expect(error?.message.contains("\u{1B}") == false)
    #expect(error?.message.contains("a") == true)
  }

  @Test("Tags persist across sessions")
  func nextSession() throws {
    let folder = try StoreFolder()
    let first = folder.store()
    _ = try first.tags.add(["日本語", "b"], now: Date())
    _ = try first.tags.rename("b", to: "c")
    first.close()
    #expect(try folder.store().tags.list().map(\.text) == ["日本語", "c"])
    // A closed store opens again on its next use.
    #expect(try first.tags.list().count == 2)
  }
}
