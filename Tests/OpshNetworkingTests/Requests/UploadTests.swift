import Foundation
import OpshLocking
import Operations
import OpshSupport
import TestSupport
import Testing

@testable import OpshNetworking

/// Bodies of requests that are read from files while they are sent.
@Suite("Uploads", .timeLimit(.minutes(15)))
final class UploadTests {
  private let temporaryFolder: TemporaryFolder
  private let workplace = Workplace()
  private let requests = Locked<[ReceivedRequest]>([])

  init() throws {
    temporaryFolder = try TemporaryFolder()
  }

  private var path: String { temporaryFolder.path + "/file" }

  private static let content = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }

  private func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private func request(_ url: String, _ body: RequestBody? = nil) throws -> HTTPRequest {
    var request = try HTTPRequest(method: "PUT", url: url)
    request.body = try body ?? RequestBody([.file(BodyFile(path: path))])
    return request
  }

  private func send(
    _ request: HTTPRequest, options: RequestOptions = RequestOptions()
  ) async throws -> HTTPOperation {
    let operation = HTTPOperation(
      engine: workplace.engine, request: request, transport: workplace.transport,
      options: options)
    try workplace.queue.addOperation(operation)
    try await workplace.finish(operation)
    return operation
  }

  /// Records requests, and answers them in turn with a status line and headers.
  private func server(_ answers: [(String, [String])] = [("200 OK", [])]) throws -> LoopbackServer {
    try LoopbackServer { [requests] connection in
      while let request = connection.readRequest() {
        let number = requests.withLock { requests in
          requests.append(request)
          return requests.count - 1
        }
        let (status, headers) = answers[min(number, answers.count - 1)]
        connection.respond(status, headers)
      }
    }
  }

  @Test("Files and bytes are sent in turn, with the length of all")
  func parts() async throws {
    try write(Self.content)
    let (head, end) = (Array("head".utf8), Array("end".utf8))
    let server = try server()
    defer { server.stop() }
    let body = RequestBody([
      .bytes(head), .file(try BodyFile(path: path)), .bytes([]), .bytes(end),
      .file(try BodyFile(path: path)),
    ])
    #expect(outcomeCode(try await send(request(server.url, body))) == "succeeded")
    let received = try #require(requests.withLock { $0.first })
    #expect(received.values("Content-Length") == ["\(body.count)"])
    #expect(received.values("Transfer-Encoding").isEmpty && received.values("Expect").isEmpty)
    #expect(received.body == head + Self.content + end + Self.content)
  }

  @Test("Bytes in memory beyond the first packet, and an empty file, are sent too")
  func otherBodies() async throws {
    let server = try server()
    defer { server.stop() }
    #expect(outcomeCode(try await send(request(server.url, .bytes(Self.content)))) == "succeeded")
    try write([])
    #expect(outcomeCode(try await send(request(server.url))) == "succeeded")
    #expect(requests.withLock { $0.map(\.body) } == [Self.content, []])
  }

  @Test("A redirect and a retry send the file from its start")
  func repeated() async throws {
    try write(Self.content)
    let server = try server([
      ("307 Temporary Redirect", ["Location: /other"]), ("503 Unavailable", []), ("200 OK", []),
    ])
    defer { server.stop() }
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 1, backoff: .milliseconds(1))
    options.retriesUnsafeMethods = true
    let operation = try await send(request(server.url), options: options)
    #expect(outcomeCode(operation) == "succeeded" && operation.attempts == 2)
    #expect(requests.withLock { $0.map(\.target) } == ["/", "/other", "/"])
    #expect(requests.withLock { $0.allSatisfy { $0.body == Self.content } })
  }

  @Test(
    "A file that is gone or has changed since the request was made is not sent",
    arguments: ["gone", "replaced", "longer", "folder"], [false, true])
  func changedBefore(how: String, isInProcess: Bool) async throws {
    try write(Self.content)
    // The clock of the files is coarse.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: path)
    let server = try server()
    defer { server.stop() }
    let request = try request(server.url)
    switch how {
    case "gone": unlink(path)
    case "replaced":
      unlink(path)
      try write(Self.content)
    case "longer": try write(Self.content + [1])
    default:
      unlink(path)
      mkdir(path, 0o755)
    }
    let operation: HTTPOperation
    if isInProcess {
      operation = try await sendInProcess(request, keptBody: 10) { _ in }
    } else {
      operation = try await send(request)
    }
    let number = how == "gone" ? ENOENT : ESTALE
    #expect(outcomeCode(operation) == "file(\(number))")
    #expect(operation.outcome?.failure?.message.contains(path) == true)
    #expect(requests.withLock { $0.isEmpty })
  }

  @Test("A file that shrinks while it is sent ends the request")
  func shrinking() async throws {
    // More than the buffers of a connection hold.
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(truncate(path, 256 << 20) == 0)
    let hasBegun = Promise<Bool>()
    let mayRead = DispatchSemaphore(value: 0)
    let server = try LoopbackServer { connection in
      connection.readSome()
      hasBegun.fulfil(true)
      _ = mayRead.wait(timeout: .now() + 20)
      connection.stall()
    }
    defer { server.stop() }
    let operation = HTTPOperation(
      engine: workplace.engine, request: try request(server.url), transport: workplace.transport)
    try workplace.queue.addOperation(operation)
    _ = try await hasBegun.value()
    #expect(truncate(path, 100) == 0)
    mayRead.signal()
    try await workplace.finish(operation)
    #expect(outcomeCode(operation) == "file(\(ESTALE))")
    #expect(operation.outcome?.failure?.message.contains("has changed") == true)
  }

  /// Sends so many bytes to a server that reads them, answers with half of a body and waits, or reads
  /// only the first ones and waits.
  private func timeout(sending size: Int, isRead: Bool) async throws -> RequestTimeout? {
    let server = try LoopbackServer { connection in
      if isRead {
        _ = connection.readRequest()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n0123456789")
      } else {
        connection.readSome()
      }
      connection.wait(seconds: 20)
    }
    defer { server.stop() }
    var options = RequestOptions()
    options.timeout = .seconds(5)
    let body = RequestBody.bytes([UInt8](repeating: 65, count: size))
    let operation = try await send(try request(server.url, body), options: options)
    guard case .failure(let error)? = operation.result,
      case .timedOut(let timeout)? = error as? NetworkError
    else { return nil }
    return timeout
  }

  @Test("The time limit of an operation says how much was sent, and how much had come")
  func timeLimit() async throws {
    // More than the buffers of both ends hold.
    let large = 64 << 20
    let stalled = try #require(try await timeout(sending: large, isRead: false))
    #expect(stalled.phase == .total && stalled.bytesReceived == 0)
    let sent = try #require(stalled.bytesSent)
    #expect(sent.total == large && sent.bytes > 0 && !sent.isWhole)
    let small = 1 << 20
    let answered = try #require(try await timeout(sending: small, isRead: true))
    #expect(answered.bytesReceived == 10)
    #expect(answered.bytesSent == .init(bytes: small, total: small))
  }

  @Test("A service in the process gets the beginning of a body, up to what it keeps")
  func inProcess() async throws {
    try write(Self.content)
    let body = RequestBody([.bytes([1, 2]), .file(try BodyFile(path: path)), .bytes([3])])
    let request = try request("http://127.0.0.1:1/a", body)
    let received = Locked<[[UInt8]]>([])
    for limit in [5, 1 << 20, .max] {
      let operation = try await sendInProcess(request, keptBody: limit) { request in
        received.withLock { $0.append(request.body) }
      }
      #expect(outcomeCode(operation) == "succeeded")
    }
    let all = [1, 2] + Self.content + [3]
    #expect(received.withLock { $0 } == [Array(all.prefix(5)), Array(all.prefix(1 << 20)), all])
  }

  private func sendInProcess(
    _ request: HTTPRequest, keptBody: Int, _ service: @escaping @Sendable (InProcessRequest) -> Void
  ) async throws -> HTTPOperation {
    let transport = InProcessTransport(engine: workplace.engine, keptBody: keptBody) { request in
      service(request)
      let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
      return InProcessAnswer(steps: [.bytes(answer)]) { _ in }
    }
    let operation = HTTPOperation(
      engine: workplace.engine, request: request, transport: transport)
    try workplace.queue.addOperation(operation)
    try await workplace.finish(operation)
    return operation
  }

  @Test("A reader goes to any position of a body")
  func seeking() throws {
    let content = Array(Self.content.prefix(1_000))
    try write(content)
    let body = RequestBody([.bytes([1, 2]), .file(try BodyFile(path: path)), .bytes([3])])
    let all = [1, 2] + content + [3]
    let reader = RequestBodyReader(body)
    for position in [0, 1, 2, 3, 1_001, 1_002, 1_003, 0] {
      #expect(reader.seek(to: position))
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 300)
      while true {
        let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
        guard count > 0 else { break }
        bytes += buffer[..<count]
      }
      #expect(bytes == Array(all[position...]))
    }
    #expect(!reader.seek(to: 1_004))
  }

  @Test("A file that changes while it is read, and stays as long, is not read to its end")
  func changedWhileRead() throws {
    try write(Array(Self.content.prefix(1_000)))
    let reader = RequestBodyReader(RequestBody([.file(try BodyFile(path: path))]))
    var buffer = [UInt8](repeating: 0, count: 600)
    #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 600)
    // The time of the change alone: it may be written within the same moment.
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
    let error = #expect(throws: NetworkError.self) {
      try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    }
    #expect(error?.code == "file(116)")
  }
}
