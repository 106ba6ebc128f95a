import Foundation
import OpshNetworking
import TestSupport

@testable import OpshPersistence

/// A directory for one test, deleted when it is released.
final class StoreFolder: Sendable {
  private let folder: TemporaryFolder
  var path: String { folder.path }

  init() throws { folder = try TemporaryFolder() }

  /// The path of the store's file.
  var file: String { path + "/" + SQLiteStore.fileName }

  /// A store in the directory, not opened yet.
  func store(busyTimeout: Duration = .seconds(10)) -> SQLiteStore {
    SQLiteStore(directory: path, busyTimeout: busyTimeout)
  }

  /// All bytes that the store has left on the disk, including its log.
  ///
  /// Another process reads them: closing a file here would drop the locks that SQLite has on it.
  func contents() throws -> [UInt8] {
    let files = try FileManager.default.contentsOfDirectory(atPath: path).map { path + "/" + $0 }
    return Array(try ChildProcess.run("/bin/cat", arguments: files).stdout)
  }

  /// Runs statements on the file in another connection.
  func execute(_ statements: String...) throws {
    let connection = try Connection(path: file, library: SQLiteLibrary.shared.get())
    defer { connection.close() }
    for statement in statements { try connection.runOnce(statement) }
  }

  /// Starts the other process, which runs a command on this store.
  func worker(
    _ command: String, _ count: Int = 1, isUnprivileged: Bool = false
  ) throws -> RunningChild {
    try RunningChild(
      BuiltProducts.executable("store-worker"),
      arguments: (isUnprivileged ? ["--unprivileged"] : []) + [command, path, String(count)])
  }
}

/// Quotes with the number of their generation in every field.
func generation(_ number: Int, count: Int, size: Int = 100) -> [QuoteRecord] {
  (0..<count).map { index in
    QuoteRecord(
      id: "q\(index)", text: "\(number) " + String(repeating: "x", count: size),
      author: "generation \(number)", readCount: number)
  }
}

/// The code of the error that a call throws, or `ok`.
func code(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "ok"
  } catch let error as StoreError {
    return error.code
  } catch {
    return "\(error)"
  }
}

/// Runs a body on several threads at once and waits for all of them, up to a minute.
///
/// - Returns: Whether all have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Bool {
  let ended = DispatchSemaphore(value: 0)
  for index in 0..<count {
    let thread = Thread {
      body(index)
      ended.signal()
    }
    thread.start()
  }
  let deadline = DispatchTime.now() + 60
  return (0..<count).allSatisfy { _ in ended.wait(timeout: deadline) == .success }
}

extension SQLiteStore {
  /// The version of the format of the file, which is opened for it.
  func formatVersion() throws(StoreError) -> Int {
    try database.read { connection throws(StoreError) in try Migration.version(of: connection) }
  }

  /// Checks the whole file for damage, and returns it in SQLite's words.
  func findDamage() throws(StoreError) -> [String] {
    try database.read { connection throws(StoreError) in
      let problems = try connection.rows("PRAGMA integrity_check(20)") { $0.text(0) }
      let orphans = try connection.rows("PRAGMA foreign_key_check") { row in
        "row \(row.integer(1)) of \(row.text(0)) belongs to nothing"
      }
      return problems.filter { $0 != "ok" } + orphans
    }
  }
}
