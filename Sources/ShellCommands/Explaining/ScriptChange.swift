import Terminal

/// One breaking change that may affect a saved script.
///
/// `help changes` and the reference page show all of them; `ScriptChange.all` is the only list.
package struct ScriptChange: Sendable {
  /// The change, in a few words.
  package let title: String
  /// The new behaviour, in sentences.
  package let meaning: String
  /// A script, or the input of a program, in the old form.
  let old: String
  /// The same in the new form.
  let new: String
  /// The output of `opsh --check` for the old form.
  let check: String

  /// The name of the topic: `help changes`.
  package static let topic = "changes"
  package static let heading = "Changes for scripts"
  package static let introduction = """
    These changes of meaning can affect scripts that were written for an earlier build, and \
    programs that read the output. Each shows the old form, the new form, and what 'opsh --check \
    FILE' says about the old one.
    """

  /// The topic as `help` prints it, for a terminal of that many columns if there is one.
  static func lines(terminal: Int?) -> [StyledText] {
    var lines = [StyledText(heading, style: .bold), ""]
    lines += HelpPage.wrap(introduction, terminal: terminal).map { StyledText($0) }
    for change in all {
      lines += ["", StyledText(change.title, style: .bold)]
      lines += HelpPage.wrap(change.meaning, terminal: terminal.map { $0 - 2 })
        .map { StyledText("  " + $0) }
      for (label, text) in change.parts {
        for (index, line) in text.split(separator: "\n").enumerated() {
          let margin = TextWidth.pad(index == 0 ? label : "", to: 9)
          lines.append("  " + StyledText(margin, style: .dim) + StyledText(String(line)))
        }
      }
    }
    return lines
  }

  /// The forms and the check's output, each with its label.
  package var parts: [(label: String, text: String)] {
    [("old:", old), ("new:", new), ("--check:", check)]
  }
}
