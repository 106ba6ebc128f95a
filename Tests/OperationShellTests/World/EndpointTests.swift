import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import CommandParts
@testable import ShellCommands
@testable import ShellSession

@Suite("Services of all and of single APIs", .timeLimit(.minutes(15)))
struct EndpointTests {
  private static let nobody = "http://127.0.0.1:1"

  @Test("The service of a single API can be set and reset", arguments: NetworkEnvironment.API.all)
  func own(api: NetworkEnvironment.API) throws {
    let shell = try ShellFixture("endpoint \(api.name) \(Self.nobody)")
    let search = api == .tweets ? " swift" : ""
    try shell.run("fetch \(api.name)\(search) --name lost; wait --any-outcome")
    #expect(try shell.outcome(of: "lost") == "connection-refused")
    for other in NetworkEnvironment.API.all where other != api {
      let search = other == .tweets ? " swift" : ""
      try shell.run("fetch \(other.name)\(search) --name \(other.name)-there; wait")
    }
    #expect(
      try shell.output(of: "endpoint \(api.name)").last?.contains(Self.nobody) == true)
    try shell.run(
      "endpoint \(api.name) none; fetch \(api.name)\(search) --name found; wait")
    #expect(try shell.outcome(of: "found") == "succeeded")
  }

  @Test("The help for a server that is not reached names 'endpoint' only where that has set it")
  func unreached() throws {
    let shell = try ShellFixture("endpoint \(Self.nobody)")
    for (words, topic) in [
      ("get /x", "service-unreachable"), ("fetch questions", "service-unreachable"),
      ("fetch quotes", "service-unreachable"), ("get \(Self.nobody)/x", "connection-refused"),
    ] {
      try shell.run("\(words) --name a; wait --any-outcome")
      let failure = try #require(try shell.operation("a").outcome?.failure)
      #expect(failure.code == "connection-refused" && failure.topic == topic, "\(words)")
      #expect(failure.message == "the server at '127.0.0.1:1' does not accept connections")
      #expect(
        CodedPages.page(for: failure).help?.contains("endpoint") == (topic != failure.code))
    }
  }

  @Test("'endpoint' shows all services with quota and without secrets, and sets the common one")
  func shown() throws {
    let shell = try ShellFixture(
      """
      endpoint questions practice --key FIRSTWORD
      endpoint quotes practice --application-id opsh --key SECONDWORD
      endpoint tweets \(Self.nobody)
      fetch questions --pagesize 1; fetch quotes --limit 1; wait
      """)
    let lines = try shell.output(of: "endpoint")
    #expect(lines.count == 6 && !lines.joined().contains("WORD"))
    #expect(lines.contains { $0.hasPrefix("questions") && $0.contains("key ***, quota ") })
    #expect(lines.contains { $0.hasPrefix("tweets") && $0.contains(Self.nobody) })
    #expect(
      lines.contains { $0.hasPrefix("quotes") && $0.contains("application id opsh, key ***") })
    let facts = try shell.output(of: "show quotes-1").joined(separator: "\n")
    #expect(facts.contains("X-Parse-REST-API-Key: ***") && !facts.contains("SECONDWORD"))
    try shell.run("endpoint practice")
    #expect(shell.session.outside.network.services.own.isEmpty)
  }

  @Test(
    "An invalid endpoint is an error at its place",
    arguments: [
      ("endpoint quotes live", "service-gone", 17), ("endpoint tweets live", "service-gone", 17),
      ("endpoint quotes practice --key x", "incomplete-credentials", 32),
      ("endpoint quotes --key x --application-id y", "missing-service", 42),
      ("endpoint answers ftp://x", "unsupported-protocol", 18),
      ("endpoint questions parctice", "bad-url", 20),
      ("endpoint questions none --key x", "missing-service", 31),
      ("endpoint quotes practice --application-id x --key \"a\\nb\"", "bad-request", 51),
    ])
  func refused(text: String, code: String, column: Int) throws {
    let shell = try ShellFixture()
    let error = try shell.error(of: text)
    #expect(error.code == code)
    #expect(error.column == column)
    #expect(shell.session.outside.network.services == NetworkEnvironment.Services())
  }

  @Test("Command-line options set the common service and those of single APIs")
  func commandLine() throws {
    let outcome = try Opsh.run(
      "endpoint; fetch quotes --name lost; fetch questions --pagesize 1; wait --any-outcome; "
        + "expect (lost.error.code == connection-refused)",
      options: ["--endpoint", "practice", "--endpoint=quotes=\(Self.nobody)"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains(Self.nobody))
    #expect(try Opsh.run("", options: ["--endpoint", "quotas=\(Self.nobody)"]).status == 2)
  }
}
