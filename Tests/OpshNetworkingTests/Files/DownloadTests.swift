import OpshCompression
import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@testable import OpshNetworking

@Suite("Downloads", .timeLimit(.minutes(15)))
final class DownloadTests {
  private let temporaryFolder: TemporaryFolder
  private let workplace = Workplace()

  init() throws {
    temporaryFolder = try TemporaryFolder()
  }

  private var folder: String { temporaryFolder.path }
  private var names: [String] { temporaryFolder.names }

  private func read(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: folder + "/" + name).map { Array($0) }
  }

  private func start(
    _ url: String, to name: String, options: RequestOptions = RequestOptions()
  ) throws -> DownloadOperation {
    let operation = DownloadOperation(
      engine: workplace.engine, request: try HTTPRequest(url: url), path: folder + "/" + name,
      transport: workplace.transport, options: options)
    try workplace.queue.addOperation(operation)
    return operation
  }

  @Test("No more than 16 MiB are read of the error page of a download, whose size has no limit")
  func errorPage() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.respond("500 No", body: [UInt8](repeating: 65, count: 20 << 20))
    }
    defer { server.stop() }
    let operation = try start(server.url, to: "file")
    try await workplace.finish(operation)
    #expect(outcomeCode(operation) == "invalid-status-code(500)")
    #expect(operation.refusal?.isTruncated == true)
    #expect(names.isEmpty)
  }

  @Test("A body longer than the buffer arrives complete and replaces the existing file")
  func whole() async throws {
    let body = (0..<(9 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.respond(body: body)
    }
    defer { server.stop() }
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/file"))
    chmod(folder + "/file", 0o640)
    let operation = try start(server.url, to: "file")
    try await workplace.finish(operation)
    #expect(outcomeCode(operation) == "succeeded")
    #expect(try operation.result?.get().size == body.count)
    #expect(read("file") == body)
    #expect(names == ["file"])
    let mode = try FileManager.default.attributesOfItem(atPath: folder + "/file")
    #expect(mode[.posixPermissions] as? Int == 0o640)
  }

  @Test(
    "A download that breaks off, has a bad status or is too large leaves the file unchanged",
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort", "connection-lost"),
      ("HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\ngone", "invalid-status-code(404)"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n", "too-large"),
      ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", "bad-response"),
    ])
  func broken(answer: String, code: String) async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.send(answer)
    }
    defer { server.stop() }
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/file"))
    var options = RequestOptions()
    options.transfer.maximumBodySize = 1000
    let operation = try start(server.url, to: "file", options: options)
    try await workplace.finish(operation)
    #expect(outcomeCode(operation) == code)
    #expect(read("file") == Array("old".utf8))
    #expect(names == ["file"])
  }

  @Test(
    "A compressed body is expanded, unless the file is to be compressed itself",
    arguments: [("tags.json", true), ("y.tar.gz", false), ("y.TGZ", false)])
  func encoded(name: String, isExpanded: Bool) async throws {
    let text = Array("text text text text".utf8)
    let body = try Gzip.compress(text)
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.respond("200 OK", ["Content-Encoding: gzip"], body: body)
    }
    defer { server.stop() }
    let operation = try start(server.url, to: name)
    try await workplace.finish(operation)
    #expect(outcomeCode(operation) == "succeeded")
    #expect(read(name) == (isExpanded ? text : body))
    #expect(operation.curlCommand().words.contains { $0.text == "--compressed" } == isExpanded)
  }

  @Test("A cycle of symbolic links is an error, and stays")
  func linkCycle() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/a", withDestinationPath: folder + "/b")
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/b", withDestinationPath: folder + "/a")
    let operation = try start("http://127.0.0.1:1", to: "a")
    try await workplace.finish(operation)
    #expect(outcomeCode(operation) == "file(40)")
    #expect(names.sorted() == ["a", "b"])
  }

  @Test("Cancelling a running download removes the temporary file")
  func cancel() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nbeginning")
      connection.stall()
    }
    defer { server.stop() }
    let operation = try start(server.url, to: "file")
    let received = Promise<Bool>()
    let token = operation.observe(\.progress, options: [.initial, .new]) { operation, _ in
      if (operation as? DownloadOperation)?.bytesReceived ?? 0 > 0 { received.fulfil(true) }
    }
    defer { token.invalidate() }
    _ = try await received.value()
    #expect(operation.bytesExpected == 100_000)
    #expect(names == ["file.opsh-part", "file.opsh-part.version"])
    operation.cancel()
    try await workplace.finish(operation)
    #expect(operation.outcome == .cancelled)
    #expect(names.isEmpty)
  }

  @Test("A retry writes the file from the start")
  func retry() async throws {
    let count = Locked(0)
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 1 {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nwrong")
      } else {
        connection.respond(body: Array("right".utf8))
      }
    }
    defer { server.stop() }
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 1, backoff: .milliseconds(1))
    let operation = try start(server.url, to: "file", options: options)
    try await workplace.finish(operation)
    #expect(outcomeCode(operation) == "succeeded")
    #expect(operation.attempts == 2)
    #expect(read("file") == Array("right".utf8))
  }

  @Test("A path that can't be written is reported before anything is sent")
  func badPlaces() async throws {
    let server = try LoopbackServer { _ in }
    defer { server.stop() }
    mkdir(folder + "/folder", 0o755)
    mkfifo(folder + "/pipe", 0o644)
    let cases = [
      ("none/file", "file(\(ENOENT))"), ("folder", "file(\(EISDIR))"),
      ("folder/", "file(\(EISDIR))"), ("pipe", "file(\(EINVAL))"),
      ("folder/new/", "file(\(EISDIR))"),
    ]
    for (name, code) in cases {
      let operation = try start(server.url, to: name)
      try await workplace.finish(operation)
      #expect(outcomeCode(operation) == code, "\(name)")
    }
    #expect(server.accepted == 0)
    #expect(names == ["folder", "pipe"])
  }

  @Test(
    "A file that is replaced keeps its owner, group and permissions",
    .enabled(if: SystemRight.givingFilesAway, "needs the right to give a file away"))
  func owner() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.respond(body: Array("new".utf8))
    }
    defer { server.stop() }
    let path = folder + "/theirs"
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    #expect(chown(path, 4711, 4712) == 0 && chmod(path, 0o640) == 0)
    let operation = try start(server.url, to: "theirs")
    try await workplace.finish(operation)
    #expect(read("theirs") == Array("new".utf8))
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_uid == 4711 && status.st_gid == 4712 && status.st_mode & 0o777 == 0o640)
  }

  @Test("A symbolic link stays a link, and its target is replaced")
  func link() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.respond(body: Array("new".utf8))
    }
    defer { server.stop() }
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/real"))
    symlink("real", folder + "/link")
    let operation = try start(server.url, to: "link")
    try await workplace.finish(operation)
    #expect(read("real") == Array("new".utf8))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link") == "real")
  }

  @Test("The target of a symbolic link is created if there is none", arguments: [true, false])
  func danglingLink(isAbsolute: Bool) async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.respond(body: Array("new".utf8))
    }
    defer { server.stop() }
    symlink(isAbsolute ? folder + "/real" : "real", folder + "/second")
    symlink("second", folder + "/link")
    let operation = try start(server.url, to: "link")
    try await workplace.finish(operation)
    #expect(outcomeCode(operation) == "succeeded")
    #expect(read("real") == Array("new".utf8))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link") == "second")
    #expect(names.count == 3)
  }

  @Test("A link that leads to itself does not hang a download")
  func cyclicLink() async throws {
    symlink("loop", folder + "/loop")
    let operation = try start("http://127.0.0.1:1/", to: "loop")
    try await workplace.finish(operation)
    #expect(operation.outcome?.failure != nil)
  }

  /// Redirects the descriptor of the only open file of the folder.
  private func replaceDescriptor(by other: Int32) throws {
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
      let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
      return file?.hasPrefix(folder + "/") == true
    }
    try #require(open.count == 1)
    try #require(dup2(other, #require(Int32(open[0]))) >= 0)
  }

  @Test("A disk error during the transfer stops it, with the system's error number")
  func fullDisk() throws {
    let file = try PartialFile(path: folder + "/file") {}
    // Its descriptor is replaced by one that rejects writes, as a full disk does.
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    try replaceDescriptor(by: full)
    _ = file.write(Array("bytes".utf8))
    #expect {
      try file.finish()
    } throws: { ($0 as? FileError)?.number == ENOSPC }
    #expect(file.keep() == nil)
    #expect(names.isEmpty)
  }

  @Test("A file whose disk does not answer delays no other one")
  func hangingDisk() throws {
    let hanging = try PartialFile(path: folder + "/hanging") {}
    // A full pipe blocks a write as such a disk does.
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    try replaceDescriptor(by: ends[1])
    close(ends[1])
    let other = try PartialFile(path: folder + "/other") {}
    let count = 1 << 20
    _ = hanging.write([UInt8](repeating: 1, count: count))
    _ = other.write(Array("bytes".utf8))
    let size = Locked<Int?>(nil)
    Thread.detachNewThread {
      let written = try? other.finish()
      size.withLock { $0 = written }
    }
    #expect(eventually(timeout: .seconds(20)) { size.withLock { $0 } == 5 })
    // The writing thread ends only after its bytes have been read.
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var left = count
    while left > 0 { left -= max(1, Glibc.read(ends[0], &buffer, buffer.count)) }
    close(ends[0])
  }
}
