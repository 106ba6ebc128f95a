import Foundation
import TestSupport
import Testing

@testable import OpshTerminal

@Suite("History")
struct HistoryTests {
  private let temporaryFolder: TemporaryFolder
  private var folder: String { temporaryFolder.path }
  private var file: String { folder + "/state/history" }

  init() throws { temporaryFolder = try TemporaryFolder() }

  @Test("Entries with any text are restored in the next session")
  func roundTrip() throws {
    let entries = [
      "plain", "two\nlines", "a \\n that is none", "\\", "ends with \\", "größe 漢字 👩‍💻",
      "nul\0 cr\r x",
      "\\\\n", "\u{1B}[31m",
    ]
    let history = History(file: file)
    for entry in entries { history.append(entry) }
    #expect(History(file: file).entries == entries)
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let folderAttributes = try FileManager.default.attributesOfItem(atPath: folder + "/state")
    #expect(folderAttributes[.posixPermissions] as? Int == 0o700)
  }

  @Test("A file that others could read is the owner's alone after an entry")
  func mode() throws {
    History(file: file).append("first")
    chmod(file, 0o644)
    History(file: file).append("second")
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("A file that a process of the same number has left behind does not keep a secret in it")
  func leftBehind() throws {
    let history = History(file: file)
    for entry in ["first", "secret", "third"] { history.append(entry) }
    try Data("half".utf8).write(to: URL(fileURLWithPath: "\(file).\(getpid())"))
    history.forget { $0 == "secret" }
    #expect(History(file: file).entries == ["first", "third"])
  }

  @Test("An entry after a last line without a newline starts on its own line")
  func unfinishedLastLine() throws {
    History(file: file).append("first")
    try Data("first\nsecond".utf8).write(to: URL(fileURLWithPath: file))
    let history = History(file: file)
    history.append("third")
    history.append("fourth")
    let stored = try String(contentsOfFile: file, encoding: .utf8)
    #expect(stored.replacing(#/\\@\d+ /#, with: "") == "first\nsecond\nthird\nfourth\n")
    #expect(History(file: file).entries == ["first", "second", "third", "fourth"])
  }

  @Test("Blank lines, lines after a space, and repetitions are not stored")
  func skipping() {
    let history = History(file: nil)
    for line in ["a", "a", "", "  ", " secret", "b", "a"] { history.append(line) }
    #expect(history.entries == ["a", "b", "a"])
  }

  @Test("Newlines at the end of pasted text are not stored")
  func pasted() throws {
    let history = History(file: file)
    history.append("a\nb\n")
    history.append("a\nb\r\n\n")
    #expect(history.entries == ["a\nb"])
    try Data("c\\nd\\n\n".utf8).write(to: URL(fileURLWithPath: file))
    #expect(History(file: file).entries == ["c\nd"])
  }

  @Test("Two sessions append to one file without loss")
  func twoSessions() {
    let path = file
    DispatchQueue.concurrentPerform(iterations: 4) { session in
      let history = History(file: path)
      for number in 0..<200 { history.append("session \(session) line \(number)\n…") }
    }
    let entries = History(file: path).entries
    #expect(entries.count == 800)
    for session in 0..<4 {
      let own = entries.filter { $0.hasPrefix("session \(session) ") }
      #expect(own == (0..<200).map { "session \(session) line \($0)\n…" })
    }
  }

  /// Whether this process has a file open with another descriptor than the one given.
  private func isOpenedAgain(_ descriptor: Int32) -> Bool {
    var own = stat()
    fstat(descriptor, &own)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.contains { other in
      var status = stat()
      return other != descriptor && fstat(other, &status) == 0 && status.st_ino == own.st_ino
        && status.st_dev == own.st_dev
    }
  }

  private static var gate: DispatchSemaphore { DispatchSemaphore(value: 0) }

  @Test("An entry is not lost if another session shortens the file at that moment")
  func shortenedMeanwhile() throws {
    let path = file
    // A session waits a tenth of a second for the lock: a slower attempt says nothing.
    var isQuick = false
    for _ in 0..<1_000 where !isQuick {
      try? FileManager.default.removeItem(atPath: path)
      History(file: path).append("old")
      let other = open(path, O_RDONLY | O_CLOEXEC)
      defer { close(other) }
      #expect(other >= 0 && flock(other, LOCK_EX) == 0)
      let (ready, go, ended) = (Self.gate, Self.gate, Self.gate)
      Thread {
        let history = History(file: path)
        ready.signal()
        go.wait()
        history.append("new")
        ended.signal()
      }.start()
      #expect(ready.wait(timeout: .now() + 60) == .success)
      let start = ContinuousClock.now
      go.signal()
      // It has the old file open, and waits for the lock.
      while !isOpenedAgain(other), .now - start < .milliseconds(50) {}
      #expect(History.replace(path, with: ["short".utf8]))
      flock(other, LOCK_UN)
      isQuick = .now - start < .milliseconds(80)
      #expect(ended.wait(timeout: .now() + 60) == .success)
      if isQuick { #expect(History(file: path).entries == ["short", "new"]) }
    }
    #expect(isQuick)
  }

  @Test("Only the newest entries are stored; the file is trimmed after it has doubled")
  func limit() throws {
    let history = History(file: file, limit: 10)
    for number in 0..<25 { history.append("line \(number)") }
    #expect(history.entries == (15..<25).map { "line \($0)" })
    #expect(History(file: file, limit: 10).entries == history.entries)
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 10)
  }

  @Test("Of a file of a million lines only the end is read")
  func millionLines() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/state", withIntermediateDirectories: true)
    let line = Data("fetch questions --pagesize 30 --name another\\nline\n".utf8)
    var data = Data()
    for _ in 0..<10 { data.append(line) }
    let lines = Data(repeatElement(data, count: 98_000).joined())
    data = lines
    for number in 0..<20_000 { data.append(Data("echo \(number)\n".utf8)) }
    try data.write(to: URL(fileURLWithPath: file))
    let start = ContinuousClock.now
    let history = History(file: file)
    // A tenth of a second; reading all of it takes more than a minute without optimization.
    #expect(.now - start < .seconds(10))
    #expect(history.entries == (10_000..<20_000).map { "echo \($0)" })
    let kept = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    #expect(kept.count == 10_000)
    #expect(kept.last == "echo 19999")
  }

  @Test("Repetitions in the file do not take the place of other entries")
  func repetitions() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/state", withIntermediateDirectories: true)
    let text = "first\nsecond\n" + String(repeating: "same\n\n", count: 1_000) + "last"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    #expect(History(file: file, limit: 5).entries == ["first", "second", "same", "last"])
  }

  @Test(
    "Lines are read from the end, whatever their length",
    arguments: [0, 1, 255 << 10, 256 << 10, (256 << 10) + 1, 700 << 10])
  func lastLines(length: Int) throws {
    let long = String(repeating: "x", count: length)
    for ending in ["", "\n"] {
      let text = "first\n\(long)\nthird" + ending
      try FileManager.default.createDirectory(
        atPath: folder + "/state", withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      let descriptor = open(file, O_RDONLY)
      defer { close(descriptor) }
      var reader = LastLines(of: descriptor, size: text.utf8.count, atMost: 10 << 20)
      var lines: [String] = []
      while let line = reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
      #expect(lines.reversed() == text.components(separatedBy: "\n"))
      // Where a limit cuts a line, that line is not read.
      var last = LastLines(of: descriptor, size: text.utf8.count, atMost: 6 + ending.utf8.count)
      if ending == "\n" { #expect(last.next() == []) }
      #expect(last.next().map { String(decoding: $0, as: UTF8.self) } == "third")
      #expect(last.next() == nil)
    }
  }

  @Test("A file that can't be written is reported once, and the entries stay in memory")
  func unwritable() throws {
    // A folder in its place, and a file in the place of its folder, also stop the superuser.
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: folder + "/other"))
    for (path, code) in [(file, EISDIR), (folder + "/other/history", ENOTDIR), ("/dev/full", 0)] {
      var failures: [Int32] = []
      let history = History(file: path, isPrivate: { $0 == "secret" }) { failures.append($0) }
      history.append("secret")
      #expect(failures == [])
      for line in ["a", "b", "c"] { history.append(line) }
      // A device keeps nothing, as is wanted of '/dev/null'.
      #expect(failures == (code == 0 ? [] : [code]))
      #expect(history.entries == ["secret", "a", "b", "c"])
    }
  }

  @Test("A missing or binary file causes no error")
  func badFiles() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/state/history", withIntermediateDirectories: true)
    let history = History(file: file)
    history.append("kept in memory")
    #expect(history.entries == ["kept in memory"])

    let binary = folder + "/binary"
    try Data([0xFF, 0x0A, 0x61, 0x5C, 0x71, 0x5C]).write(to: URL(fileURLWithPath: binary))
    #expect(History(file: binary).entries == ["\u{FFFD}", "a\\q\\"])
  }

  @Test("Entries have the time at which they were typed, also in the next session")
  func times() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/state", withIntermediateDirectories: true)
    try Data("old\n\\\\@5 x\n".utf8).write(to: URL(fileURLWithPath: file))
    let before = Int(Date().timeIntervalSince1970)
    History(file: file).append("new\nline")
    let history = History(file: file)
    #expect(history.entries == ["old", "\\@5 x", "new\nline"])
    #expect(history.time(of: 0) == nil && history.time(of: 1) == nil)
    let time = try #require(history.time(of: 2))
    #expect((before...Int(Date().timeIntervalSince1970)).contains(time))
  }

  @Test("Sessions that run side by side see each other's lines when they refresh")
  func sharing() throws {
    let (one, two) = (History(file: file), History(file: file))
    one.append("a")
    two.append("b")
    #expect(one.entries == ["a"] && two.entries == ["a", "b"])
    one.refresh()
    #expect(one.entries == ["a", "b"])
    one.append("c")
    one.append("d")
    two.append("e")
    one.refresh()
    two.refresh()
    #expect(one.entries == ["a", "b", "c", "d", "e"])
    #expect(two.entries == one.entries)
    #expect(History(file: file).entries == one.entries)
  }

  @Test("A deleted line leaves the file and the sessions that run, which keep their own lines")
  func deleting() throws {
    let (one, two) = (
      History(file: file, isPrivate: { $0 == "private" }),
      History(file: file, isPrivate: { $0 == "private" })
    )
    for line in ["a", "b", "private"] { one.append(line) }
    two.append("c")
    two.append("private")
    #expect(one.delete([1]))
    #expect(one.entries == ["a", "private", "c"])
    one.refresh()
    two.refresh()
    #expect(one.entries == ["a", "private", "c"])
    #expect(two.entries == ["a", "c", "private"])
    two.append("d")
    #expect(History(file: file).entries == ["a", "c", "d"])
  }

  @Test("A session keeps its lines when its file is removed")
  func removedFile() throws {
    let history = History(file: file)
    history.append("a")
    try FileManager.default.removeItem(atPath: file)
    history.refresh()
    history.append("b")
    history.refresh()
    #expect(history.entries == ["a", "b"])
    #expect(History(file: file).entries == ["b"])
  }
}
