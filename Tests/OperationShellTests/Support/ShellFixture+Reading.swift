import Foundation
import Operations
import ShellLanguage
import Testing

@testable import OperationShell

extension ShellFixture {
  /// The operation of that name.
  func operation(
    _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ObservableOperation {
    try #require(session.operations.operation(named: name), sourceLocation: sourceLocation)
  }

  /// The error that a script ends with.
  func error(
    of script: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Diagnostic {
    try #require(
      #expect(throws: Diagnostic.self, sourceLocation: sourceLocation) { try run(script) },
      sourceLocation: sourceLocation)
  }

  /// What a command prints.
  func output(of command: String) throws -> [String] {
    let folder = try ScratchFolder()
    try run("\(command) > '\(folder.path)/text'")
    return (folder.read("text") ?? "").split(separator: "\n").map(String.init)
  }
}
