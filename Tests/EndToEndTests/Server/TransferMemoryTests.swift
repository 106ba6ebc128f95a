import Foundation
import TestSupport
import Testing

/// The memory of large bodies, as the system counts it for the whole process, the practice server
/// included.
@Suite(
  "Memory of transfers", .timeLimit(.minutes(15)),
  // The sanitizer has memory of its own for that of the program.
  .disabled(if: TestScale.isSanitized))
struct TransferMemoryTests {
  /// What a transfer may need in addition, whatever its size, in MB.
  private static let allowance = 48
  private static let size = 200

  /// Runs a script in a folder with a file `big`.
  ///
  /// - Returns: The most memory that the process ever had, in MB.
  private func peak(_ script: String) throws -> Int {
    let folder = try TemporaryFolder()
    let path = folder.path + "/big"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(truncate(path, off_t(Self.size) << 20) == 0)
    let outcome = try Opsh.run(
      ["--no-rc", "--no-history", "--events", "off", "-c"] + [
        script + "\n!grep VmHWM /proc/$PPID/status"
      ], directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let line = outcome.outputLines.last { $0.hasPrefix("VmHWM:") } ?? ""
    return try #require(Int(line.filter(\.isNumber))) >> 10
  }

  private func idle() throws -> Int { try peak("get /2.3/info?site=stackoverflow; wait") }

  @Test(
    "A body that goes to a file, or comes from one, needs no memory of its size",
    arguments: [
      "get /2.3/info --output out; wait; expect (get-1.result.bytes == \(size)000000)",
      "download /2.3/info out; wait; expect (download-1.result.bytes == \(size)000000)",
      "put /1/classes/Note/x --file big; wait --any-outcome; expect (put-1.status == 403)",
      "post /1/classes/Note --multipart f=@big --multipart a=b; wait --any-outcome; "
        + "expect (post-1.status == 403)",
    ])
  func flat(script: String) throws {
    let fault = "server fault huge-body --size \(Self.size)MB --route 'GET *'\n"
    #expect(try peak(fault + script) <= idle() + Self.allowance)
  }

  @Test("A body that is the value of a request is held once")
  func once() throws {
    let script = """
      server fault huge-body --size \(Self.size)MB
      get /2.3/info; wait; expect (get-1.bytes == \(Self.size)000000)
      """
    #expect(try peak(script) <= idle() + Self.size + Self.allowance)
  }
}
