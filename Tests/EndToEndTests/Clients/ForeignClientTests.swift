import Foundation
import TestSupport
import Testing

@Suite("Third-party clients", .timeLimit(.minutes(15)))
struct ForeignClientTests {
  /// The programs of these tests that use the clients.
  private static let folder = PackageFolder.path + "/Tests/Clients"

  /// Runs a client script against a server.
  private func check(_ python: String, _ arguments: [String]) throws {
    let outcome = try ChildProcess.run(python, arguments: arguments, timeout: .seconds(120))
    #expect(!outcome.timedOut && outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output == "all is so\n")
  }

  /// Starts a server and returns it with its address, the first line of its output.
  private func start(
    _ arguments: [String], input: String = ""
  ) throws -> (server: RunningChild, url: String) {
    let server = try Opsh.start(arguments)
    server.write(input)
    #expect(server.read { stdout, _ in stdout.contains("\n") })
    let text = String(decoding: server.stdout, as: UTF8.self)
    return (server, String(text.prefix { $0 != "\n" }))
  }

  /// The interpreter of an environment with the library; cancels the test if it is not installed.
  private func environment(with library: String) throws -> String {
    guard let bash = InstalledProgram.path("bash") else { try Test.cancel("bash is not installed") }
    let environment = PackageFolder.path + "/.build/clients/\(library)"
    let installed = try ChildProcess.run(
      bash, arguments: [Self.folder + "/install-library", library, environment],
      timeout: .seconds(90))
    guard installed.status == 0 else {
      let reason = installed.timedOut ? "it took too long" : installed.output
      try Test.cancel("\(library) could not be installed: \(reason)")
    }
    return environment + "/bin/python"
  }

  @Test("curl can request every route, and every response has the expected shape")
  func curl() throws {
    guard let python = InstalledProgram.path("python3"), InstalledProgram.path("curl") != nil else {
      try Test.cancel("python3 or curl is not installed")
    }
    let (server, url) = try start(["--practice-server", "0"])
    try check(python, [Self.folder + "/curl_check.py", url])
    server.send(signal: SIGTERM)
    #expect(server.communicate().status == 128 + SIGTERM)
  }

  @Test("A library for Stack Exchange reads page after page and distinguishes errors")
  func stackExchangePages() throws {
    let python = try environment(with: "stackapi")
    let (server, url) = try start(["--practice-server", "0"])
    try check(python, [Self.folder + "/stackapi_check.py", url, "paging"])
    server.send(signal: SIGTERM)
    #expect(server.communicate().status == 128 + SIGTERM)
  }

  @Test("A library for Stack Exchange that honours backoff succeeds; ignoring backoff is an error")
  func stackExchangeBackoff() throws {
    let python = try environment(with: "stackapi")
    let (server, url) = try start(
      ["--no-rc", "--no-history"],
      input: "server fault backoff --route '/2.3/questions*' --duration 3s\nserver start\n")
    try check(python, [Self.folder + "/stackapi_check.py", url, "backoff"])
    // Two pages, then an accepted and a rejected request.
    server.write("server faults backoff\n")
    #expect(server.read { stdout, _ in stdout.contains("has struck 4 times") })
  }
}
