import Foundation
import Operations
import PracticeServer
import ShellLanguage
import Testing

@testable import ShellSession

extension ShellFixture {
  /// A session whose store is in a folder.
  convenience init(_ script: String = "", keepingIn folder: ScratchFolder) throws {
    var configuration = SessionConfiguration()
    configuration.dataDirectory = folder.path
    try self.init(script, configuration)
  }

  var server: PracticeServer { session.outside.network.server }

  /// The value of the last statement, as text.
  func text(_ script: String) throws -> String { try run(script).text }

  /// The requests that the practice server received.
  var requests: [String] { server.records(after: 0).records.map { "\($0.method) \($0.path)" } }

  /// Sets a fault on the server.
  func setFault(
    _ name: String, route: String? = nil, duration: Duration? = nil, spread: Duration? = nil
  ) throws {
    let fault = try Fault(
      name, route: route.map { try RoutePattern($0) } ?? .everything, duration: duration,
      spread: spread)
    server.update { $0.set(fault) }
  }

  /// The log lines of an operation.
  func reasons(of name: String) throws -> [String] {
    let id = try operation(name).id
    return session.jobs.engine.log.entries(from: 0, limit: 100_000).entries
      .filter { $0.operation.id == id }.map(\.reason)
  }

  /// The outcome of an operation: `succeeded`, or the code of its failure.
  func outcome(of name: String) throws -> String {
    let outcome = try #require(try operation(name).outcome)
    return outcome.failure?.code ?? outcome.name
  }
}
