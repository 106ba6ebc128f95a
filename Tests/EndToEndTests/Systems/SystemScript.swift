import Foundation
import TestSupport
import Testing

/// Runs a script about one of the five systems as its user would, with a data directory of its own.
///
/// Each system has a suite, and each row of its table a test with the row's number.
struct SystemScript {
  let data: TemporaryFolder

  init() throws {
    data = try TemporaryFolder()
  }

  /// The output of a script; its `expect` statements are met.
  @discardableResult
  func text(
    _ script: String, status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ChildProcess.Outcome {
    let outcome = try Opsh.run(
      ["--data", data.path], input: script, sourceLocation: sourceLocation)
    #expect(
      outcome.shellStatus == status, "\(outcome.output)\(outcome.errors)",
      sourceLocation: sourceLocation)
    return outcome
  }

  /// The same output as objects.
  func lines(
    _ script: String, status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [JSONLine] {
    let outcome = try Opsh.run(
      ["--json", "--data", data.path], input: script, sourceLocation: sourceLocation)
    #expect(outcome.shellStatus == status, "\(outcome.errors)", sourceLocation: sourceLocation)
    return JSONContract.lines(of: outcome, sourceLocation: sourceLocation)
  }
}

@available(*, unavailable)
extension SystemScript: Sendable {}

extension [JSONLine] {
  /// The states of an operation, in order.
  func states(of name: String) -> [String] {
    filter { $0.type == "transition" && $0.operationName == name }
      .filter { $0.string("from") != $0.string("to") }.compactMap { $0.string("to") }
  }

  /// The reasons of an operation's transitions.
  func reasons(of name: String) -> [String] {
    filter { $0.type == "transition" && $0.operationName == name }.compactMap {
      $0.string("reason")
    }
  }

  /// The changes that an observer of an operation received, such as `isFinished false → true`.
  func changes(of name: String) -> [String] {
    filter { $0.type == "change" && $0.operationName == name }.map { line in
      let key = line.string("keyPath") ?? ""
      if line.flag("prior") == true { return "\(key) will change" }
      return "\(key) \(text(line.members["old"])) → \(text(line.members["new"]))"
    }
  }

  private func text(_ value: Any?) -> String {
    switch value {
    case nil, is NSNull: "-"
    case let flag as Bool: "\(flag)"
    case let value?: "\(value)"
    }
  }

  /// The text of all messages.
  var messages: [String] { filter { $0.type == "message" }.compactMap { $0.string("text") } }
}
