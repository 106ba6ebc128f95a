package import ShellLanguage
import ShellOutput
import OpshTerminal

extension Run {
  /// Records a script that failed the check as if it had been typed.
  package func recordRefused(_ script: Script) {
    guard let transcript = screen.transcript else { return }
    transcript.watch(script)
    screen.feed.drain()
    transcript.begin(script.source.text, at: promptText().plain)
  }

  /// Records a statement of a script as if it had been typed.
  func record(_ statement: Statement, in context: ExecutionContext) {
    guard let transcript = screen.transcript, isOnInterpreterThread, !inputs.isRetaking,
      transcript.isWatched(statement)
    else { return }
    screen.feed.drain()
    let text = context.source.text(in: statement.range)
    transcript.begin(text, at: promptText().plain)
    // At the prompt each line is checked separately.
    let script = Parser.parse(SourceText(name: SourceText.promptName, text: text))
    for diagnostic in check(script, isWhole: false, in: context) {
      screen.renderer.render(diagnostic).forEach { transcript.take(StyledText($0)) }
    }
  }
}
