import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@testable import OpshNetworking

/// Downloads that request the rest of a file after an earlier operation that broke off.
@Suite("Kept downloads", .timeLimit(.minutes(15)))
final class KeptDownloadTests {
  private let temporaryFolder: TemporaryFolder
  private let workplace = Workplace()

  init() throws {
    temporaryFolder = try TemporaryFolder()
  }

  private typealias File = BrokenDownloads
  typealias Answer = BrokenDownloads.Answer

  private var file: String { temporaryFolder.path + "/file" }
  private var part: String { file + ".opsh-part" }

  private func read(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { Array($0) }
  }

  private var version: String { part + ".version" }
  /// The names of what is left of a download whose rest can be requested.
  private let keptNames = ["file.opsh-part", "file.opsh-part.version"]

  /// The number of bytes that the file beside the part tells; nil without it.
  private var keptCount: Int? {
    read(version).flatMap { Int(String(decoding: $0.prefix(20), as: UTF8.self)) }
  }

  private func operation(_ url: String, timeout: Duration? = nil) throws -> DownloadOperation {
    var options = RequestOptions()
    options.timeout = timeout
    let operation = DownloadOperation(
      engine: workplace.engine, request: try HTTPRequest(url: url), path: file,
      transport: workplace.transport, options: options)
    try workplace.queue.addOperation(operation)
    return operation
  }

  private func download(_ url: String) async throws -> DownloadOperation {
    let operation = try operation(url)
    try await workplace.finish(operation)
    return operation
  }

  @Test("A later download of the same address requests the rest only, and the file is whole")
  func resumed() async throws {
    let (server, requests) = try File.server([.broken(), .part()])
    defer { server.stop() }
    let first = try await download(server.url)
    #expect(outcomeCode(first) == "connection-lost")
    #expect(temporaryFolder.names == keptNames)
    #expect(
      workplace.reasons(of: first).contains(
        "keeps 100.0 kB as file.opsh-part, for a later download"))
    #expect(read(part) == Array(File.old.prefix(File.half)))
    // An address may hold secrets.
    let told = String(decoding: try #require(read(version)), as: UTF8.self)
    #expect(told.contains("v1") && !told.contains("127.0.0.1"))

    let second = try await download(server.url)
    #expect(outcomeCode(second) == "succeeded")
    #expect(read(file) == File.old)
    #expect(temporaryFolder.names == ["file"])
    #expect(second.resumedAt == File.half && second.attempts == 1)
    #expect(workplace.reasons(of: second).contains("resumes at byte 100000 of 200000"))
    let sent = requests.withLock { $0 }
    #expect(sent.map { $0.values("Range") } == [[], ["bytes=100000-"]])
    #expect(sent.map { $0.values("If-Range") } == [[], ["\"v1\""]])
  }

  @Test("What several operations have brought is one beginning")
  func severalTimes() async throws {
    let second = Answer(
      status: "206 Partial Content", headers: [File.tag, File.range], body: File.rest, sent: 60_000)
    let third = Answer(
      status: "206 Partial Content",
      headers: [File.tag, "Content-Range: bytes 160000-199999/200000"],
      body: Array(File.old[160_000...]))
    let (server, requests) = try File.server([.broken(), second, third])
    defer { server.stop() }
    for code in ["connection-lost", "connection-lost", "succeeded"] {
      #expect(outcomeCode(try await download(server.url)) == code)
    }
    #expect(read(file) == File.old)
    #expect(requests.withLock { $0.last?.values("Range") } == ["bytes=160000-"])
  }

  @Test(
    "Nothing is resumed onto a file that has changed",
    arguments: [
      [Answer.changed],
      // A server that ignores If-Range.
      [
        Answer(
          status: "206 Partial Content", headers: ["ETag: \"v2\"", File.range], body: File.rest),
        .changed,
      ],
      [
        Answer(status: "416 No", headers: ["Content-Range: bytes */150000"], body: []), .changed,
      ],
    ])
  func changedFile(later: [Answer]) async throws {
    let (server, requests) = try File.server([.broken()] + later)
    defer { server.stop() }
    _ = try await download(server.url)
    let second = try await download(server.url)
    #expect(outcomeCode(second) == "succeeded")
    #expect(read(file) == File.new)
    #expect(temporaryFolder.names == ["file"])
    #expect(workplace.reasons(of: second).contains("begins again: "))
    #expect(requests.withLock { $0[1].values("If-Range") } == ["\"v1\""])
  }

  @Test("What follows on a changed file that breaks off too is its own beginning")
  func changedTwice() async throws {
    var cut = Answer.changed
    cut.sent = 50_000
    let rest = Answer(
      status: "206 Partial Content",
      headers: ["ETag: \"v2\"", "Content-Range: bytes 50000-149999/150000"],
      body: Array(File.new[50_000...]))
    let (server, requests) = try File.server([.broken(), cut, rest])
    defer { server.stop() }
    for code in ["connection-lost", "connection-lost", "succeeded"] {
      #expect(outcomeCode(try await download(server.url)) == code)
    }
    #expect(read(file) == File.new)
    #expect(requests.withLock { $0.last?.values("If-Range") } == ["\"v2\""])
  }

  @Test(
    "Without a validator that identifies one version, nothing is kept",
    arguments: [
      [], ["ETag: W/\"v1\""], ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"],
      ["ETag: \"v1\"", "Accept-Ranges: none"],
      // Other headers or another user may get another file with the same date.
      [
        "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Mon, 07 Nov 1994 08:49:37 GMT",
        "Vary: Accept",
      ],
    ])
  func unidentified(headers: [String]) async throws {
    let (server, requests) = try File.server([.broken(headers), .changed])
    defer { server.stop() }
    _ = try await download(server.url)
    #expect(temporaryFolder.names.isEmpty)
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read(file) == File.new)
    #expect(requests.withLock { $0.last?.values("Range") } == [])
  }

  @Test("What was kept of another address stays until the path has a complete file")
  func otherAddress() async throws {
    let (server, requests) = try File.server([.broken(), .changed])
    defer { server.stop() }
    _ = try await download(server.url)
    #expect(outcomeCode(try await download("http://127.0.0.1:1/typo")) == "connection-refused")
    #expect(temporaryFolder.names == keptNames)
    #expect(outcomeCode(try await download(server.url + "/other")) == "succeeded")
    #expect(read(file) == File.new)
    #expect(temporaryFolder.names == ["file"])
    #expect(requests.withLock { $0.last?.values("Range") } == [])
  }

  @Test(
    "A cancelled download, and one whose time is over, keep what has come",
    arguments: [true, false])
  func interrupted(isCancelled: Bool) async throws {
    let (server, _) = try File.server([.broken(stalls: true), .part()])
    defer { server.stop() }
    let first = try operation(server.url, timeout: isCancelled ? nil : .seconds(5))
    #expect(eventually { self.keptCount == File.half })
    if isCancelled { first.cancel() }
    try await workplace.finish(first)
    #expect(temporaryFolder.names == keptNames)
    let second = try await download(server.url)
    #expect(outcomeCode(second) == "succeeded")
    #expect(second.resumedAt == File.half)
    #expect(read(file) == File.old)
  }

  @Test("Of two downloads at once that break off, the one that has the part keeps it")
  func twoAtOnce() async throws {
    var long = Answer.broken(stalls: true)
    long.sent = 150_000
    let (server, requests) = try File.server([.broken(stalls: true), long, .part()])
    defer { server.stop() }
    let first = try operation(server.url)
    #expect(eventually { self.keptCount == File.half })
    let second = try operation(server.url)
    #expect(eventually { second.bytesReceived == 150_000 })
    for operation in [first, second] {
      operation.cancel()
      try await workplace.finish(operation)
    }
    #expect(temporaryFolder.names == keptNames)
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read(file) == File.old)
    #expect(requests.withLock { $0.last?.values("Range") } == ["bytes=\(File.half)-"])
  }

  @Test("A killed download leaves at any moment what a later one requests the rest of")
  func killed() async throws {
    let (server, requests) = try File.server([.broken(stalls: true), .part()])
    defer { server.stop() }
    let first = try operation(server.url)
    #expect(eventually { self.keptCount == File.half })
    // What a killed process leaves: both files as they are, maybe with more bytes, and no lock.
    let left = (try #require(read(part)), try #require(read(version)))
    first.cancel()
    try await workplace.finish(first)
    try Data(left.0 + [1, 2, 3]).write(to: URL(fileURLWithPath: part))
    try Data(left.1).write(to: URL(fileURLWithPath: version))
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read(file) == File.old)
    #expect(temporaryFolder.names == ["file"])
    #expect(requests.withLock { $0.last?.values("Range") } == ["bytes=100000-"])
  }

  @Test("A killed download without a version is replaced, as is an empty file")
  func killedWithoutVersion() async throws {
    let (server, requests) = try File.server([.broken([], stalls: true), .changed])
    defer { server.stop() }
    let first = try operation(server.url)
    #expect(eventually { self.keptCount == File.half })
    let told = try #require(read(version))
    first.cancel()
    try await workplace.finish(first)
    #expect(temporaryFolder.names.isEmpty)
    // The last two: it was killed before it had told or written anything.
    for (bytes, told) in [(File.old, told), (File.old, []), ([], []), ([], nil)]
      as [([UInt8], [UInt8]?)]
    {
      try Data(bytes).write(to: URL(fileURLWithPath: part))
      if let told { try Data(told).write(to: URL(fileURLWithPath: version)) }
      #expect(outcomeCode(try await download(server.url)) == "succeeded")
      #expect(read(file) == File.new)
      #expect(temporaryFolder.names == ["file"])
      #expect(requests.withLock { $0.last?.values("Range") } == [])
    }
  }

  @Test(
    "A part that is removed or replaced meanwhile is an error, and nothing of the other is lost")
  func replacedPart() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegin")
      _ = gate.wait(timeout: .now() + 60)
      connection.send("ning")
    }
    defer { server.stop() }
    let first = try operation(server.url)
    #expect(eventually { self.keptCount == 5 })
    let other = Array("another one".utf8)
    try FileManager.default.removeItem(atPath: part)
    try Data(other).write(to: URL(fileURLWithPath: part))
    gate.signal()
    try await workplace.finish(first)
    #expect(outcomeCode(first) == "file(2)")
    #expect(read(part) == other)
    #expect(temporaryFolder.names == ["file.opsh-part"])
  }

  @Test(
    "A full disk leaves what there was room for, of which a later download requests the rest",
    .enabled(if: SystemRight.mounting, "needs the right to mount a disk"),
    arguments: ["96k", "160k"])
  func fullDisk(size: String) throws {
    let requests = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      guard let request = connection.readRequest() else { return }
      requests.withLock { $0.append(request) }
      let start = request.values("Range").first.flatMap { Int($0.dropFirst(6).dropLast()) }
      let total = File.old.count
      let head =
        start.map { "206 Partial Content\r\nContent-Range: bytes \($0)-\(total - 1)/\(total)" }
        ?? "200 OK"
      let rest = File.old[(start ?? 0)...]
      connection.send(
        "HTTP/1.1 \(head)\r\n\(File.tag)\r\nContent-Length: \(rest.count)\r\n\r\n")
      // On the large disk the first one breaks off, and the second one finds no room for the rest.
      connection.send(Array(start == nil && size == "160k" ? rest.prefix(File.half) : rest))
    }
    defer { server.stop() }
    let script = """
      mkdir "$1/disk" && mount -t tmpfs -o size=\(size) none "$1/disk" && cd "$1/disk" || exit 9
      load() { "$0" --no-rc -c "download $2 file; wait --any-outcome; echo (last.error.code ?? fine)"; }
      load "$@"; load "$@"; ls
      mount -o remount,size=2m . && load "$@" && ls && cp file "$1/file"
      """
    let program = try BuiltProducts.executable("opsh")
    let outcome = try ChildProcess.run(
      "/usr/bin/env",
      arguments: ["unshare", "-m", "bash", "-c", script, program, temporaryFolder.path, server.url])
    let first = size == "160k" ? "connection-lost" : "file(28)"
    #expect(
      outcome.output == "\(first)\nfile(28)\nfile.opsh-part\nfile.opsh-part.version\nfine\nfile\n",
      "\(outcome.errors)")
    #expect(read(file) == File.old)
    let starts = requests.withLock { $0 }.compactMap { request in
      request.values("Range").first.flatMap { Int($0.dropFirst(6).dropLast()) }
    }
    #expect(starts.count == 2 && starts[0] <= starts[1], "\(starts)")
    #expect(starts.allSatisfy { $0 >= (size == "160k" ? File.half : 50_000) }, "\(starts)")
  }

  @Test("While a download runs, others neither write to its file nor remove it")
  func inUse() async throws {
    let (server, _) = try File.server([.broken(stalls: true), .changed, .part()])
    defer { server.stop() }
    let first = try operation(server.url)
    #expect(eventually { self.keptCount == File.half })
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read(file) == File.new)
    #expect(keptCount == File.half)
    first.cancel()
    try await workplace.finish(first)
    #expect(temporaryFolder.names == ["file"] + keptNames)
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read(file) == File.old)
    #expect(temporaryFolder.names == ["file"])
  }

  @Test("A copy of the descriptor, as a process has that is just started, keeps no part locked")
  func copiedDescriptor() async throws {
    let (server, _) = try File.server([.broken(stalls: true), .part()])
    defer { server.stop() }
    let first = try operation(server.url)
    #expect(eventually { self.keptCount == File.half })
    let identity = FileIdentity(at: part)
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let copies = names.compactMap { Int32($0) }.filter { FileIdentity(of: $0) == identity }
      .map { dup($0) }
    defer { for copy in copies { close(copy) } }
    #expect(copies.count == 1)
    first.cancel()
    try await workplace.finish(first)
    let second = try await download(server.url)
    #expect(outcomeCode(second) == "succeeded" && second.resumedAt == File.half)
    #expect(read(file) == File.old)
  }

  @Test(
    "A file of the user that has the name of a part, or of its version, stays, and nothing is kept",
    arguments: ["file.opsh-part", "file.opsh-part.version"])
  func foreignFile(name: String) async throws {
    let (server, requests) = try File.server([.broken(), .changed])
    defer { server.stop() }
    let foreign = Array("mine, 0123456789abcdefghijklmn, opsh-part".utf8)
    let path = temporaryFolder.path + "/" + name
    #expect(FileManager.default.createFile(atPath: path, contents: Data(foreign)))
    _ = try await download(server.url)
    #expect(read(path) == foreign)
    #expect(temporaryFolder.names == [name])
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read(path) == foreign)
    #expect(requests.withLock { $0.last?.values("Range") } == [])
  }

  @Test(
    "A part that does not fit what is told of it is begun again, and continued later",
    arguments: ["cut", "emptied", "told more than the whole", "told no number", "told nothing"])
  func begunAgain(how: String) async throws {
    let (server, requests) = try File.server([.broken(), .broken(), .part()])
    defer { server.stop() }
    _ = try await download(server.url)
    let handle = try #require(
      FileHandle(forWritingAtPath: how.hasPrefix("told") ? version : part))
    switch how {
    case "cut": try handle.truncate(atOffset: UInt64(File.half - 1))
    case "told more than the whole":
      try Data(File.old + [0]).write(to: URL(fileURLWithPath: part))
      try handle.write(contentsOf: Data("00000000000000200001".utf8))
    case "told no number": try handle.write(contentsOf: Data("0000-000000000000000".utf8))
    default: try handle.truncate(atOffset: 0)
    }
    try handle.close()
    _ = try await download(server.url)
    #expect(temporaryFolder.names == keptNames)
    let third = try await download(server.url)
    #expect(outcomeCode(third) == "succeeded")
    #expect(read(file) == File.old)
    #expect(temporaryFolder.names == ["file"])
    #expect(requests.withLock { $0.map { $0.values("Range") } } == [[], [], ["bytes=100000-"]])
  }

  @Test("A later download removes what a killed one left under another name, and nothing else")
  func leftovers() async throws {
    let (server, _) = try File.server([.changed])
    defer { server.stop() }
    let (left, inUse) = (".opsh-download-0123456789abc", ".opsh-download-0123456789xyz")
    let names = [left, inUse, ".opsh-download-notes"]
    for name in names {
      #expect(
        FileManager.default.createFile(atPath: temporaryFolder.path + "/" + name, contents: nil))
    }
    // The part of another address makes the download use another name.
    #expect(FileManager.default.createFile(atPath: part, contents: Data("mine".utf8)))
    let used = open(temporaryFolder.path + "/" + inUse, O_RDONLY | O_CLOEXEC)
    defer { close(used) }
    #expect(flock(used, LOCK_EX) == 0)
    _ = try await download(server.url)
    #expect(
      Set(temporaryFolder.names) == [
        inUse, ".opsh-download-notes", "file", "file.opsh-part",
      ])
  }

  @Test("A part that is a link, or has another name, is not resumed", arguments: [true, false])
  func linked(isSymbolic: Bool) async throws {
    let (server, requests) = try File.server([.broken(), .changed])
    defer { server.stop() }
    _ = try await download(server.url)
    let other = temporaryFolder.path + "/elsewhere"
    if isSymbolic {
      #expect(rename(part, other) == 0 && symlink(other, part) == 0)
    } else {
      #expect(link(part, other) == 0)
    }
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read(file) == File.new)
    #expect(read(other) == Array(File.old.prefix(File.half)))
    #expect(requests.withLock { $0.last?.values("Range") } == [])
  }
}
