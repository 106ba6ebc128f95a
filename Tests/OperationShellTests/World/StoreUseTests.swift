import Foundation
import OpshNetworking
import PracticeServer
import ShellLanguage
import TestSupport
import Testing

@testable import OpshPersistence
@testable import ShellSession

@Suite("The store in the shell", .timeLimit(.minutes(15)))
struct StoreUseTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  @Test("Starting the shell neither loads SQLite nor creates a file")
  func lazy() throws {
    let count = "echo a | sh -c 'grep -c libsqlite3 /proc/$PPID/maps; true'"
    let without = try Opsh.run("fetch questions; wait; \(count)", options: ["--data", folder.path])
    #expect(without.status == 0, "\(without.errors)")
    // Only the release build drops unused libraries.
    let needed = try ChildProcess.run(
      "/usr/bin/ldd", arguments: [try BuiltProducts.executable("opsh")])
    if !needed.output.contains("libsqlite3") { #expect(without.output == "0\n") }
    #expect(folder.names.isEmpty)
    let with = try Opsh.run("tags add a; \(count)", options: ["--data", folder.path])
    #expect(with.status == 0 && Int(with.output.dropLast()) ?? 0 > 0, "\(with.errors)")
    #expect(folder.names == ["store.sqlite"])
  }

  @Test("An invalid store file is not modified and is named in the error; the shell continues")
  func damaged() throws {
    let text = String(repeating: "this is somebody's letter. ", count: 200)
    try folder.write(text, to: "store.sqlite")
    let shell = try ShellFixture(keepingIn: folder)
    for command in ["tags list", "tags add a", "quotes list", "cache list", "fetch tweets"] {
      let error = try shell.error(of: command)
      #expect(error.code == "store-damaged", "\(command)")
      #expect(error.message.contains(folder.path + "/store.sqlite"))
    }
    try shell.run("quotes sync; wait --any-outcome; fetch tweets a; wait tweets-1")
    #expect(try shell.outcome(of: "save-1") == "store-damaged")
    #expect(folder.read("store.sqlite") == text)
  }

  @Test("A file of a later version is not modified")
  func newer() throws {
    let shell = try ShellFixture("tags add a", keepingIn: folder)
    shell.session.outside.closeStore()
    let path = folder.path + "/store.sqlite"
    var bytes = try #require(FileManager.default.contents(atPath: path))
    // The version of the format, as SQLite stores it in the file header.
    bytes.replaceSubrange(60..<64, with: [0, 0, 3, 231])
    try bytes.write(to: URL(fileURLWithPath: path))
    let error = try shell.error(of: "tags add b")
    #expect(error.code == "store-newer" && error.message.contains(path))
    #expect(FileManager.default.contents(atPath: path) == bytes)
  }

  @Test("Without a data directory the error shows how to set one")
  func nowhere() throws {
    var configuration = SessionConfiguration()
    configuration.environment = [:]
    let shell = try ShellFixture("", configuration)
    let error = try shell.error(of: "tags list")
    #expect(error.code == "store-unavailable" && error.message.contains("--data"))
  }

  @Test("A store killed at any moment of a sync has the old data or the new, complete")
  func killed() throws {
    let server = PracticeServer(seed: 1)
    try server.start()
    defer { server.stop() }
    let arguments = [
      "--no-rc", "--no-history", "--data", folder.path, "--endpoint",
      try #require(server.baseURL), "-c", "quotes sync; wait",
    ]
    let binary = try BuiltProducts.executable("opsh")
    let environment = ["HOME": "/nonexistent", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"]
    let start = ContinuousClock.now
    #expect(
      try ChildProcess.run(binary, arguments: arguments, environment: environment).status == 0)
    let usual = ContinuousClock.now - start
    var count = 56
    var saved = 0
    for round in 1...TestScale.count(6, long: 200) {
      // Each seed has quotes of its own, so each saved sync adds the same number.
      server.setSeed(UInt64(round + 1))
      let child = try RunningChild(binary, arguments: arguments, environment: environment)
      let chance = Double((round * 7_919) % 101) / 100
      usleep(UInt32(usual / .microseconds(1) * (0.1 + chance)))
      child.send(signal: SIGKILL)
      _ = child.communicate()
      let store = SQLiteStore(directory: folder.path)
      let damage = try store.database.read { connection throws(StoreError) in
        let problems = try connection.rows("PRAGMA integrity_check") { $0.text(0) }
        let orphans = try connection.rows("PRAGMA foreign_key_check") { $0.text(0) }
        return problems.filter { $0 != "ok" } + orphans
      }
      #expect(damage.isEmpty)
      let now = try store.quotes.summary().count
      #expect(now == count || now == count + 56, "round \(round): \(count), then \(now)")
      if now != count { saved += 1 }
      count = now
      store.close()
    }
    if TestScale.count(6, long: 200) == 200 { #expect((1..<200).contains(saved)) }
  }
}
