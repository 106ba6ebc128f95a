import Foundation
import Operations
import ShellLanguage
import Testing

@testable import OperationShell
@testable import ShellCommands
@testable import ShellSession

/// A session in the test's own process and thread, without signals and without events.
final class ShellFixture {
  let session: Session
  let shell: Shell

  init(_ script: String = "", _ configuration: SessionConfiguration = SessionConfiguration()) throws
  {
    var configuration = configuration
    configuration.events = .off
    session = try Session(configuration: configuration, commands: .builtIn)
    shell = Shell(session: session)
    try run(script)
  }

  deinit {
    session.jobs.operations.unfinished.forEach { $0.cancel() }
    session.jobs.queues.all.forEach { $0.isSuspended = false }
    session.jobs.eventHandlers.removeAll()
  }

  @discardableResult
  func run(_ script: String) throws -> Value {
    try shell.interpreter.run(Parser.parse(SourceText(name: "test", text: script)))
  }

  /// Pumps the session until a condition holds.
  func pump(
    timeout: Duration = .seconds(60), until condition: () throws -> Bool
  ) throws -> Bool {
    let deadline = ContinuousClock.now + timeout
    while ContinuousClock.now < deadline {
      _ = try session.run.pump()
      if try condition() { return true }
      session.run.rest(until: .now + .milliseconds(5))
    }
    return false
  }
}

@available(*, unavailable)
extension ShellFixture: Sendable {}
