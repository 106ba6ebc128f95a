import CommandParts
import Foundation
import OpshLocking
package import ShellLanguage
import ShellOutput
package import ShellSession
import OpshSystemCalls
import OpshTerminal

/// A script that shows each statement, and waits for Enter before it runs.
package struct SteppedScript {
  private enum Answer { case run, runRest, leave }

  private let script: Script
  private let arguments: [String]

  /// Creates the steps of a script, with the values of `$1` and so on.
  package init(_ script: Script, arguments: [String]) {
    (self.script, self.arguments) = (script, arguments)
  }

  /// Runs it.
  ///
  /// - Parameters:
  ///   - context: Where.
  ///   - run: The run of the session.
  ///   - screen: Where the statements are shown; its terminal answers.
  /// - Returns: The value of the last statement that ran.
  /// - Throws: The error of a statement, and `Interruption` after Ctrl-C.
  package func run(
    in context: ExecutionContext, _ run: Run, on screen: Screen
  ) throws -> Value {
    let inputs = run.inputs
    var (value, waits) = (Value.null, !inputs.isRetaking)
    for index in script.statements.indices {
      // As far as it came when the answers were given.
      if inputs.isRetaking, let count = inputs.comingStatementCount, index >= count {
        inputs.setStatementCount(count)
        return value
      }
      if waits {
        show(index, on: screen)
        inputs.setStatementCount(index)
        switch try answer(run, screen.output.streams.input) {
        case .run: inputs.setStatementCount(index + 1)
        case .runRest:
          waits = false
          inputs.setStatementCount(script.statements.count)
        case .leave: return value
        }
      }
      run.noteTyped(index, of: script)
      value = try context.run(script, arguments: arguments, statements: index..<index + 1)
      run.drainIfInterpreter()
    }
    return value
  }

  private func show(_ index: Int, on screen: Screen) {
    let range = script.statements[index].range
    let text = screen.secrets.mask(script.source.text(in: range))
    let line = script.source.place(of: range.lower).line
    var shown = StyledText("\(script.source.name):\(line)  ", style: .dim)
    shown += StyledText(VisibleText.escape(text, keepNewlines: true), style: .bold)
    if index == 0 {
      shown += StyledText("   (Enter runs it, c the rest, q ends)", style: .dim)
    }
    screen.output.line(shown)
  }

  /// Waits for a line on the terminal; events are shown and handlers run meanwhile.
  private func answer(_ run: Run, _ input: Int32) throws -> Answer {
    var typed: [UInt8] = []
    while true {
      if try run.pump() { throw Interruption("stopped; the rest of the script did not run") }
      run.rest(onReading: [input], atMost: .seconds(1))
      guard try Poller.wait(fileDescriptors: [input], timeout: .zero).contains(input) else {
        continue
      }
      var buffer = [UInt8](repeating: 0, count: 256)
      let count = read(input, &buffer, buffer.count)
      if count == 0 { return .leave }
      if count > 0 { typed += buffer[..<count] }
      guard typed.contains(UInt8(ascii: "\n")) else { continue }
      switch String(decoding: typed, as: UTF8.self).first {
      case "q": return .leave
      case "c": return .runRest
      default: return .run
      }
    }
  }
}

extension Invocation {
  /// Refuses a call that needs a person at a terminal, where there is none.
  ///
  /// - Parameter option: The option that asks for it.
  /// - Throws: A diagnostic at the option.
  func requireTerminal(for option: some Parameter) throws {
    let streams = screen.output.streams
    guard isatty(streams.input) == 1, screen.output.terminals.contains(.standardOutput),
      !run.state.withLock({ $0.readsProgramFromInput })
    else {
      throw call.failure(
        .needsTerminal, "there is no terminal to wait for Enter at", at: option)
    }
  }
}
