import Foundation
import OpshLocking
import Operations
import ShellLanguage
import ShellOutput
import OpshTerminal
import Testing

@testable import ShellSession

extension ShellFixture {
  /// The operation with that name.
  func operation(
    _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ObservableOperation {
    try #require(session.jobs.operations.operation(named: name), sourceLocation: sourceLocation)
  }

  /// The error that ends a script.
  func error(
    of script: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Diagnostic {
    try #require(
      #expect(throws: Diagnostic.self, sourceLocation: sourceLocation) { try run(script) },
      sourceLocation: sourceLocation)
  }

  /// The output of a command on a terminal.
  func shown(by command: String) throws -> [String] {
    try lines { try run(command) }
  }

  /// What the body prints on a terminal.
  func lines(of body: () throws -> Void) throws -> [String] {
    let lines = Locked<[String]>([])
    session.screen.output.setTap(isSilent: true) { line in lines.withLock { $0.append(line.plain) }
    }
    defer { session.screen.output.setTap(isSilent: false, nil) }
    try body()
    return lines.withLock { $0 }
  }

  /// The lines that a command prints, without the empty ones.
  func output(of command: String) throws -> [String] {
    try text(of: command).split(separator: "\n").map(String.init)
  }

  /// All that a command prints.
  func text(of command: String) throws -> String {
    let folder = try ScratchFolder()
    try run("\(command) > '\(folder.path)/text'")
    return folder.read("text") ?? ""
  }
}
