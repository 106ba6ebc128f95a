import Foundation
import TestSupport
import Testing

@testable import OpshHTTPServing
@testable import PracticeServer

@Suite("The practice server's life cycle", .timeLimit(.minutes(15)))
struct LifecycleTests {
  private static let target = "/2.3/tags?site=stackoverflow&pagesize=1"

  @Test("A server that is not started has no address, and stopping it does nothing")
  func idle() {
    let server = PracticeServer()
    #expect(!server.isRunning)
    #expect(server.port == nil)
    #expect(server.baseURL == nil)
    server.stop()
    server.stop()
    #expect(server.statistics == PracticeServer.Statistics())
  }

  @Test("Starting twice keeps the port; stopping frees it")
  func twice() throws {
    let server = PracticeServer()
    try server.start()
    let port = try #require(server.port)
    try server.start()
    #expect(server.port == port)
    #expect(server.baseURL == "http://127.0.0.1:\(port)")
    server.stop()
    #expect(!server.isRunning)
    #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
    try server.start(port: port)
    #expect(server.port == port)
    server.stop()
  }

  @Test("A port in use is named in the error, and the server can be started elsewhere")
  func portInUse() throws {
    let first = PracticeServer()
    try first.start()
    let port = try #require(first.port)
    let second = PracticeServer()
    #expect(
      throws: PracticeServerError(
        code: "address-in-use", message: "port \(port) is already in use on 127.0.0.1")
    ) { try second.start(port: port) }
    #expect(!second.isRunning)
    try second.start()
    #expect(try RawClient.Reply.get(Self.target, from: second.port).status == 200)
    first.stop()
    second.stop()
  }

  @Test("A missing library is an error that names the package")
  func missingLibrary() {
    let error = #expect(throws: HTTPServingError.self) {
      try MicroHTTPDLibrary(names: ["libno-such-library.so.12"])
    }
    #expect(error?.code == "library-missing")
    #expect(error?.message.contains("libmicrohttpd12") == true)
    let other = #expect(throws: HTTPServingError.self) {
      try MicroHTTPDLibrary(names: ["libz.so.1"])
    }
    #expect(other?.code == "library-unusable")
  }

  @Test("Starting and stopping leaves neither threads nor descriptors behind")
  func cycles() throws {
    // Other tests run servers meanwhile, far fewer than a leak would leave.
    let pollers = Self.count(linksTo: "anon_inode:[eventpoll]")
    let threads = Self.serverThreads().count
    let server = PracticeServer()
    for _ in 0..<80 {
      try server.start()
      #expect(try RawClient.Reply.get("/", from: server.port).status == 200)
      server.stop()
    }
    #expect(server.statistics.connections == 80)
    #expect(Self.count(linksTo: "anon_inode:[eventpoll]") < pollers + 40)
    #expect(Self.serverThreads().count < threads + 40)
  }

  @Test("Stopping the server ends delayed requests without waiting for them")
  func stopWhileDelayed() throws {
    let server = PracticeServer()
    try server.start()
    server.update {
      $0.latency = .seconds(3_600)
      $0.bandwidth = 1
    }
    let clients = try (0..<50).map { _ in try RawClient(port: server.port) }
    for client in clients { client.sendRequest(Self.target) }
    #expect(eventually { server.statistics.requests == 50 })
    server.stop()
    for client in clients { #expect(try client.readToEnd().isEmpty) }
    try server.start()
    server.setFaults(Faults())
    #expect(try RawClient.Reply.get(Self.target, from: server.port).status == 200)
    server.stop()
  }

  @Test("Stopping the server ends bodies that are sent slowly")
  func stopWhileSending() throws {
    let server = PracticeServer()
    try server.start()
    server.update { $0.bandwidth = 1 }
    let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
    for client in clients { client.sendRequest(Self.target) }
    #expect(eventually { server.statistics.bytesSent > 0 })
    server.stop()
    for client in clients {
      #expect(throws: RawClient.Failure.self) { try client.readReply() }
    }
  }

  @Test("A released server stops")
  func letGo() throws {
    var server: PracticeServer? = PracticeServer()
    try server?.start()
    let port = try #require(server?.port)
    server = nil
    #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
  }

  @Test("Concurrent starts and stops end in a consistent state")
  func contention() async throws {
    let server = PracticeServer()
    await withTaskGroup { group in
      for index in 0..<40 {
        group.addTask {
          if index.isMultiple(of: 2) { try? server.start() } else { server.stop() }
          _ = server.baseURL
        }
      }
    }
    try server.start()
    #expect(try RawClient.Reply.get("/", from: server.port).status == 200)
    server.stop()
    #expect(!server.isRunning)
  }

  @Test("The server's thread blocks the signals of the program")
  func signals() throws {
    let server = PracticeServer()
    try server.start()
    #expect(try RawClient.Reply.get("/", from: server.port).status == 200)
    let masks = Self.serverThreads().compactMap { Self.blockedSignals(ofThread: $0) }
    #expect(!masks.isEmpty)
    for mask in masks {
      for signal in [SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGWINCH, SIGTSTP] {
        #expect(mask & (1 << UInt64(signal - 1)) != 0)
      }
    }
    server.stop()
  }

  private static func count(linksTo target: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == target
    }
  }

  private static func serverThreads() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return names.filter {
      (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))
        == "practice-server\n"
    }
  }

  private static func blockedSignals(ofThread identifier: String) -> UInt64? {
    let path = "/proc/self/task/\(identifier)/status"
    let status = try? String(contentsOfFile: path, encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
    return line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) }
  }
}
