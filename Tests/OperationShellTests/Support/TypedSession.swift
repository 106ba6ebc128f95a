import Foundation
import OpshLocking
import Operations
import OpshTerminal
import ShellLanguage
import Testing

@testable import OperationShell
@testable import ShellCommands
@testable import ShellOutput
@testable import ShellSession

/// Lines that are typed one after the other, in whichever session there is by then.
final class TypedSession {
  let shell: Shell
  let folder: ScratchFolder
  private let captured = Locked<[String]>([])

  init(_ lines: String...) throws {
    folder = try ScratchFolder()
    var configuration = SessionConfiguration()
    configuration.directory = folder.path
    shell = Shell(session: try Session(configuration: configuration, commands: .builtIn))
    shell.session.screen.state.withLock { $0.typing = .prompt(onTerminal: false) }
    shell.session.screen.output.setTap(isSilent: true) { [captured] line in
      captured.withLock { $0.append(line.plain) }
    }
    for line in lines { try type(line) }
  }

  deinit {
    shell.session.jobs.eventHandlers.removeAll()
    shell.session.end(status: 0)
  }

  var session: Session { shell.session }

  /// Types a line; returns what is shown because of it.
  @discardableResult
  func type(_ line: String) throws -> [String] {
    captured.withLock { $0 = [] }
    let script = Parser.parse(SourceText(name: SourceText.promptName, text: line))
    try shell.noting(script) { try shell.runAtPrompt(script) }
    return captured.withLock { $0 }
  }

  /// What some commands print that tell where the session is.
  func look() throws -> String { try type("ops; queue; why").joined(separator: "\n") }

  /// What all of them print.
  func whole() throws -> String {
    try type("ops; queue; timeline; log; tree").joined(separator: "\n")
  }
}

@available(*, unavailable)
extension TypedSession: Sendable {}
