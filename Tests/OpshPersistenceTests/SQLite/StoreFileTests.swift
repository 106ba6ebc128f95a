import Foundation
import OpshNetworking
import TestSupport
import Testing

@testable import OpshPersistence

@Suite("The file of the store", .timeLimit(.minutes(15)))
struct StoreFileTests {
  /// One call of each part, reading and writing.
  private func uses(_ store: SQLiteStore) -> [String] {
    [
      code { _ = try store.quotes.list() },
      code { _ = try store.quotes.merge(generation(1, count: 1), syncedAt: nil) },
      code { _ = try store.tags.list() },
      code { try store.tags.add(UUID().uuidString) },
      code { _ = try store.responses.statistics() },
      code { _ = try store.responses.lookup("http://a/") },
      code { try store.responses.store("http://a/", size: 10) },
      code { _ = try store.formatVersion() },
    ]
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private func read(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  // MARK: Where it is

  @Test("Nothing is opened or created before the first use")
  func lazy() throws {
    let folder = try StoreFolder()
    let store = SQLiteStore(directory: folder.path + "/a/b")
    store.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    #expect(try store.tags.list().isEmpty)
    #expect(try store.formatVersion() == Schema.migrations.last?.version)
    #expect(store.path == folder.path + "/a/b/store.sqlite")
  }

  @Test("The file and its folders are accessible by their owner only")
  func permissions() throws {
    let folder = try StoreFolder()
    let store = SQLiteStore(directory: folder.path + "/a")
    try store.tags.add("x")
    for (name, expected) in [
      ("/a", 0o700), ("/a/store.sqlite", 0o600), ("/a/store.sqlite-wal", 0o600),
    ] {
      var status = stat()
      #expect(stat(folder.path + name, &status) == 0)
      #expect(status.st_mode & 0o777 == expected)
    }
  }

  @Test("A clean end leaves one file")
  func cleanEnd() throws {
    let folder = try StoreFolder()
    let store = folder.store()
    #expect(uses(store) == Array(repeating: "ok", count: 8))
    store.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
  }

  @Test("Without a directory every use throws an error that says so")
  func nowhere() {
    for directory in [nil, ""] {
      let store = SQLiteStore(directory: directory)
      #expect(store.path == nil)
      #expect(uses(store) == Array(repeating: "store-unavailable", count: 8))
    }
  }

  @Test("A relative directory is resolved against the working directory at the start")
  func relative() {
    let here = FileManager.default.currentDirectoryPath
    #expect(SQLiteStore(directory: "some/where/").path == here + "/some/where/store.sqlite")
    #expect(SQLiteStore(directory: "/").path == "/store.sqlite")
  }

  @Test("An empty file becomes a store, and so does a link to an empty file")
  func emptyFile() throws {
    let folder = try StoreFolder()
    try write([], to: folder.file)
    #expect(uses(folder.store()) == Array(repeating: "ok", count: 8))
    let other = try StoreFolder()
    try FileManager.default.createSymbolicLink(
      atPath: other.file, withDestinationPath: folder.file)
    #expect(try other.store().tags.list().count == 1)
  }

  // MARK: What is no store

  @Test("A directory, a pipe or a device in place of the file is reported without blocking")
  func noFile() throws {
    let folder = try StoreFolder()
    mkdir(folder.file, 0o700)
    #expect(uses(folder.store()) == Array(repeating: "store-unwritable", count: 8))
    let pipe = try StoreFolder()
    mkfifo(pipe.file, 0o600)
    #expect(uses(pipe.store()) == Array(repeating: "store-unwritable", count: 8))
    let null = try StoreFolder()
    try FileManager.default.createSymbolicLink(atPath: null.file, withDestinationPath: "/dev/null")
    #expect(uses(null.store()) == Array(repeating: "store-unwritable", count: 8))
    let error = #expect(throws: StoreError.self) { try folder.store().tags.list() }
    #expect(error?.message.contains("it is a directory") == true)
  }

  @Test("A folder that cannot be created is reported")
  func noFolder() throws {
    let folder = try StoreFolder()
    try write([], to: folder.path + "/file")
    for directory in [folder.path + "/file", folder.path + "/file/deeper", "/proc/opsh/x"] {
      let store = SQLiteStore(directory: directory)
      #expect(uses(store) == Array(repeating: "store-unwritable", count: 8))
    }
    let long = SQLiteStore(directory: folder.path + "/" + String(repeating: "x", count: 300))
    #expect(code { _ = try long.tags.list() } == "store-unwritable")
  }

  @Test("A file that is not a database is reported and not modified")
  func noDatabase() throws {
    for bytes in [Array("hello\n".utf8), Array(repeating: 0xFF, count: 10_000)] {
      let folder = try StoreFolder()
      try write(bytes, to: folder.file)
      let store = folder.store()
      #expect(uses(store) == Array(repeating: "store-damaged", count: 8))
      store.close()
      #expect(uses(store) == Array(repeating: "store-damaged", count: 8))
      #expect(try read(folder.file) == bytes)
    }
  }

  @Test("The database of another program is reported and not modified")
  func foreign() throws {
    for statement in ["CREATE TABLE theirs (x)", "PRAGMA application_id = 7"] {
      let folder = try StoreFolder()
      try write([], to: folder.file)
      try folder.execute(statement)
      let bytes = try read(folder.file)
      let store = folder.store()
      #expect(uses(store) == Array(repeating: "store-foreign", count: 8))
      store.close()
      #expect(try read(folder.file) == bytes)
    }
  }

  @Test("A newer store is not modified, even if it becomes newer while it is open")
  func newer() throws {
    let folder = try StoreFolder()
    let store = folder.store()
    try store.tags.add("a")
    try folder.execute("PRAGMA user_version = 99")
    #expect(code { try store.tags.add("b") } == "store-newer")
    store.close()
    let bytes = try read(folder.file)
    #expect(uses(store) == Array(repeating: "store-newer", count: 8))
    store.close()
    #expect(try read(folder.file) == bytes)
    let error = #expect(throws: StoreError.self) { try store.tags.list() }
    #expect(error?.message.contains("format 99, this one knows 1") == true)
  }

  @Test("A deleted or replaced file is detected")
  func replaced() throws {
    let folder = try StoreFolder()
    let store = folder.store()
    try store.tags.add("first")
    try FileManager.default.removeItem(atPath: folder.path)
    #expect(try store.tags.list().isEmpty)
    try store.tags.add("second")
    store.close()
    #expect(try folder.store().tags.list().map(\.text) == ["second"])

    // The log of a deleted file does not belong to the new one.
    let other = folder.store()
    try other.tags.add("third")
    unlink(folder.file)
    #expect(try other.tags.list().isEmpty)
    try other.tags.add("fourth")
    #expect(try folder.store().tags.list().map(\.text) == ["fourth"])
    #expect(try other.findDamage().isEmpty)
  }

  @Test("A process that has the old file open does not damage the new one")
  func replacedWhileOpen() throws {
    let folder = try StoreFolder()
    let old = folder.store()
    try old.tags.add("old")
    for suffix in ["", "-wal", "-shm"] { unlink(folder.file + suffix) }
    let new = folder.store()
    try new.tags.add("new")
    // Closing the old file would clean up, and SQLite finds the log by its name.
    #expect(try old.tags.list().map(\.text) == ["new"])
    try old.tags.add("both")
    #expect(try new.tags.list().map(\.text) == ["new", "both"])
    new.close()
    old.close()
    #expect(try folder.store().findDamage().isEmpty)
    #expect(try folder.store().tags.list().map(\.text) == ["new", "both"])
  }

  // MARK: Damage

  /// A closed store with enough rows for some hundred pages.
  private func filledFolder(count: Int = 3_000) throws -> StoreFolder {
    let folder = try StoreFolder()
    let store = folder.store()
    _ = try store.quotes.merge(generation(1, count: count), syncedAt: nil)
    _ = try store.tags.add((0..<50).map { "tag \($0)" }, now: Date())
    for index in 0..<10 { try store.responses.store("http://a/\(index)", size: 5_000) }
    store.close()
    return folder
  }

  @Test("After a damaged page is found, every use reports it, and nothing is written")
  func damagedPages() throws {
    let folder = try filledFolder()
    var bytes = try read(folder.file)
    let middle = (bytes.count / 4096 / 4 * 4096)..<(bytes.count / 4096 / 2 * 4096)
    bytes.replaceSubrange(middle, with: CacheTesting.noise(middle.count))
    try write(bytes, to: folder.file)
    let store = folder.store()
    #expect(code { _ = try store.quotes.list() } == "store-damaged")
    #expect(uses(store) == Array(repeating: "store-damaged", count: 8))
    #expect(try read(folder.file) == bytes)
    let error = #expect(throws: StoreError.self) { try store.tags.list() }
    #expect(error?.message.contains("move it away") == true)

    // After the file is moved away, the store is empty.
    rename(folder.file, folder.path + "/old")
    #expect(uses(store) == Array(repeating: "ok", count: 8))
  }

  @Test(
    "Damage outside the queried tables is found before anything is written",
    arguments: [("tags", "tags"), ("tags", "sqlite_autoindex_tags_1"), ("settings", "settings")])
  func damagedPart(table: String, part: String) throws {
    let folder = try filledFolder(count: 300)
    let connection = try Connection(path: folder.file, library: SQLiteLibrary.shared.get())
    let page = try connection.first(
      "SELECT rootpage FROM sqlite_schema WHERE tbl_name = ? AND name = ?", .text(table),
      .text(part)
    ) { $0.integer(0) }
    connection.close()
    var bytes = try read(folder.file)
    let start = (try #require(page) - 1) * 4096
    bytes.replaceSubrange(start..<start + 4096, with: CacheTesting.noise(4096))
    try write(bytes, to: folder.file)
    let store = folder.store()
    #expect(
      code { _ = try store.quotes.merge(generation(2, count: 300), syncedAt: nil) }
        == "store-damaged")
    store.close()
    #expect(try read(folder.file) == bytes)
  }

  @Test("Damage that no list reads is found by a check")
  func findDamage() throws {
    let folder = try filledFolder()
    #expect(try folder.store().findDamage().isEmpty)
    try folder.execute(
      "PRAGMA writable_schema = ON",
      "UPDATE sqlite_schema SET sql = replace(sql, 'is_compressed INTEGER NOT NULL', "
        + "'is_compressed INTEGER NOT NULL CHECK (is_compressed < 0)') WHERE name = 'bodies'")
    #expect(try folder.store().findDamage().contains { $0.contains("CHECK") })
    try folder.execute("PRAGMA foreign_keys = OFF", "DELETE FROM responses")
    #expect(try folder.store().findDamage().contains { $0.contains("bodies") })
  }

  @Test("A truncated file is reported or read, never extended")
  func cutShort() throws {
    let original = try filledFolder(count: 300)
    let whole = try read(original.file)
    for share in [0.1, 0.5, 0.9] {
      let folder = try StoreFolder()
      try write(Array(whole[..<Int(Double(whole.count) * share)]), to: folder.file)
      let store = folder.store()
      #expect(code { _ = try store.quotes.list() } == "store-damaged")
      #expect(code { try store.tags.add("x") } == "store-damaged")
    }
  }

  @Test("Bytes changed at random result in a value or an error, never in a crash")
  func changedBytes() throws {
    let original = try filledFolder(count: 300)
    let whole = try read(original.file)
    var random = SystemRandomNumberGenerator()
    let known: Set = [
      "ok", "store-damaged", "store-newer", "store-foreign", "store-failed", "store-unwritable",
      "cache-unknown",
    ]
    for round in 0..<TestScale.count(40) {
      let folder = try StoreFolder()
      var bytes = whole
      for _ in 0..<(1 << (round % 8)) {
        // Half of the changes are at the start, where the schema is.
        let end = Bool.random(using: &random) ? bytes.count : 8_192
        bytes[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      try write(bytes, to: folder.file)
      let store = folder.store(busyTimeout: .milliseconds(50))
      let results =
        uses(store) + [
          code { _ = try store.responses.removeAll() }, code { _ = try store.quotes.removeAll() },
          code { _ = try store.findDamage() },
        ]
      #expect(Set(results).isSubset(of: known), "\(results)")
      store.close()
    }
  }

  // MARK: No room, no right

  @Test("A full disk causes an error and loses no data; with free space, writing works again")
  func full() throws {
    let folder = try StoreFolder()
    let store = folder.store()
    _ = try store.quotes.merge(generation(1, count: 100), syncedAt: nil)
    try store.database.read { connection throws(StoreError) in
      try connection.runOnce("PRAGMA max_page_count = 50")
    }
    #expect(
      code { _ = try store.quotes.merge(generation(2, count: 5_000), syncedAt: nil) }
        == "store-full")
    #expect(code { try store.responses.store("http://a/", size: 300_000) } == "store-full")
    #expect(try Set(store.quotes.list().map(\.author)) == ["generation 1"])
    #expect(try store.quotes.summary().count == 100)
    try store.database.read { connection throws(StoreError) in
      try connection.runOnce("PRAGMA max_page_count = 100000")
    }
    #expect(try store.quotes.merge(generation(2, count: 5_000), syncedAt: nil).updated == 100)
    #expect(try store.findDamage().isEmpty)
  }

  @Test("A limit on the file size causes an error")
  func fileSizeLimit() throws {
    let folder = try StoreFolder()
    let worker = try BuiltProducts.executable("store-worker")
    // In units of 1,024 bytes.
    let outcome = try ChildProcess.run(
      "/bin/bash",
      arguments: ["-c", "ulimit -f 1500; exec \"$0\" fill \"$1\" 20", worker, folder.path])
    let lines = outcome.output.split(separator: "\n").map { String($0) }
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(lines.first == "fill store-full")
    let words = try #require(lines.last).split(separator: " ")
    let count = try #require(words.last.flatMap { Int($0) })
    #expect(count > 0)
    #expect(count % 200 == 0)
    // Without the limit all calls succeed again.
    let store = folder.store()
    #expect(try store.quotes.summary().count == count)
    #expect(try store.quotes.merge(generation(1, count: 5_000), syncedAt: nil).created > 0)
    #expect(try store.findDamage().isEmpty)
  }

  @Test("Missing write permission causes an error; reading continues if possible")
  func noRight() throws {
    let isRoot = getuid() == 0
    // A file that can only be read.
    let folder = try filledFolder(count: 1)
    chmod(folder.path, 0o777)
    chmod(folder.file, 0o444)
    let readable = try folder.worker("use", isUnprivileged: isRoot)
      .communicate(timeout: .seconds(60))
    #expect(readable.output == "list ok 50\nadd store-unwritable\n")
    // A folder without write permission.
    let closed = try StoreFolder()
    chmod(closed.path, 0o555)
    let refused = try closed.worker("use", isUnprivileged: isRoot)
      .communicate(timeout: .seconds(60))
    #expect(refused.output == "list store-unwritable\nadd store-unwritable\n")
    // A folder with a store and without write permission.
    let shut = try filledFolder(count: 1)
    chmod(shut.file, 0o444)
    chmod(shut.path, 0o555)
    let sealed = try shut.worker("use", isUnprivileged: isRoot)
      .communicate(timeout: .seconds(60))
    #expect(sealed.output == "list ok 50\nadd store-unwritable\n")
    #expect(sealed.errors.contains("its folder must be writable"))
    chmod(shut.path, 0o700)
    // A folder without search permission.
    chmod(closed.path, 0)
    let hidden = try closed.worker("use", isUnprivileged: isRoot)
      .communicate(timeout: .seconds(60))
    #expect(hidden.output == "list store-unwritable\nadd store-unwritable\n")
    chmod(closed.path, 0o700)
  }

  @Test(
    "A store on a full or read-only disk can be read; a failed write reports the reason",
    .enabled(if: SystemRight.mounting, "needs the right to mount a disk"),
    arguments: [
      ("head -c 1m /dev/zero > fill 2>/dev/null", "store-full"),
      ("mount -o remount,ro .", "store-unwritable"),
    ])
  func disk(_ spoil: String, code: String) throws {
    let folder = try filledFolder(count: 1)
    let worker = try BuiltProducts.executable("store-worker")
    let script = """
      mkdir "$1/disk" && mount -t tmpfs -o size=1m none "$1/disk" && cp "$1/store.sqlite" "$1/disk" &&
      cd "$1/disk" && { \(spoil); "$0" use .; }
      """
    let outcome = try ChildProcess.run(
      "/usr/bin/env", arguments: ["unshare", "-m", "bash", "-c", script, worker, folder.path])
    #expect(outcome.output == "list ok 50\nadd \(code)\n", "\(outcome.errors)")
  }

  @Test("A read-only store is checked once, and again after it has changed")
  func checkedOnce() throws {
    let folder = try filledFolder(count: 10)
    let library = try SQLiteLibrary.shared.get()
    let page = try Connection(path: folder.file, library: library).first(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'tags'"
    ) { $0.integer(0) }
    let database = Database(
      place: .file(folder.file), busyTimeout: .zero, migrations: Schema.migrations)
    func open() throws {
      let connection = try Connection(
        path: folder.file, library: library, readingOnlyBecause: StoreError(.full, "no room"))
      defer { connection.close(tidiesUp: false) }
      try database.setUp(connection)
    }
    try open()
    // Damage that only a check can find, in a file with the same size and date.
    var status = stat()
    #expect(stat(folder.file, &status) == 0)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file))
    try file.seek(toOffset: UInt64(try #require(page) - 1) * 4096)
    try file.write(contentsOf: Data(CacheTesting.noise(4096)))
    try file.close()
    let times = [status.st_atim, status.st_mtim]
    #expect(utimensat(AT_FDCWD, folder.file, times, 0) == 0)
    try open()
    let later = [timespec(), timespec(tv_sec: status.st_mtim.tv_sec + 1, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, folder.file, later, 0) == 0)
    #expect(code { try open() } == "store-damaged")
  }

  // MARK: The library

  @Test("The error about a missing SQLite library names its package")
  func missingLibrary() {
    guard case .failure(let error) = SQLiteLibrary.open(named: "libsqlite-of-no-system.so.0")
    else {
      Issue.record("the library was opened")
      return
    }
    #expect(error.code == "store-unavailable")
    #expect(error.topic == "store-library")
    #expect(error.message.contains("libsqlite3-0"))
  }

  @Test("A library without SQLite's functions is rejected")
  func wrongLibrary() {
    guard case .failure(let error) = SQLiteLibrary.open(named: "libz.so.1") else {
      Issue.record("the library was accepted")
      return
    }
    #expect(error.message.contains("sqlite3_"))
  }
}
