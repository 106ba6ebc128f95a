import ShellLanguage
import Terminal

struct Completer {
  let shell: Shell
  func completions(for text: String, cursor: Int) -> CompletionResult { .none }
}
