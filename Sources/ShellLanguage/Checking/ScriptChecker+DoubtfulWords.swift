extension ScriptChecker {
  /// The smallest number without a unit that was hardly meant as seconds.
  private static let fewestDoubtful: Int64 = 100

  /// Warns of arguments that are hardly meant as what they are: `delay 500`, which is seconds, and
  /// `echo q1.state`, which is text.
  func warnOfDoubtfulWords(_ result: ArgumentBinder.Result, _ signature: CommandSignature) {
    for element in result.arguments {
      for argument in element.arguments {
        switch argument.value {
        case .duration?:
          if let number = Int64(argument.text), number >= Self.fewestDoubtful {
            warnOfBareSeconds(number, argument.range)
          }
        case .string(let text)? where text == argument.text:
          if signature.kind(of: element.name) == .any { warnOfProperty(text, argument.range) }
        default: break
        }
      }
    }
  }

  private func warnOfBareSeconds(_ number: Int64, _ range: SourceRange) {
    report(
      .bareSeconds, "\(number) without a unit is \(number) seconds", range,
      help: "write \(number)s or \(number)ms", severity: .warning)
  }

  private func warnOfProperty(_ text: String, _ range: SourceRange) {
    guard let dot = text.firstIndex(of: "."), let facts else { return }
    let (name, property) = (String(text[..<dot]), String(text[text.index(after: dot)...]))
    let isProperty = facts.namespaces.contains { namespace, known in
      known.properties[property] != nil
        && (known.names.contains(name) || symbols.makes(name, in: namespace))
    }
    guard isProperty else { return }
    report(
      .propertyAsText, "'\(text)' is only a text here", range,
      help: "for the property write: (\(text))", severity: .warning)
  }
}

extension Diagnostic {
  /// The two durations that a number without a unit may be meant as; nil for other errors.
  public var durationChoices: [String]? {
    guard self.is(.bareSeconds), let number = Int64(source.text(in: range)) else { return nil }
    return ["\(number)s", "\(number)ms"]
  }
}

extension ErrorPage {
  static let bareSeconds = ErrorPage(
    "bare-seconds", "A large number without a unit is seconds",
    """
    A number where a duration is expected is a number of seconds; from 100 on, milliseconds may \
    be meant. At the prompt the shell asks.
    """,
    help: "write the unit: 500ms or 500s", wrong: "delay 500", right: "delay 500ms",
    proof: .warning)
}

extension ErrorPage {
  static let propertyAsText = ErrorPage(
    "property-as-text", "The property of an operation is only a text",
    "Properties are read in parentheses, in '${…}' and in conditions; elsewhere a word is a text.",
    help: "write it in parentheses", wrong: "delay 1ms --name a\necho a.state",
    right: "delay 1ms --name a\necho (a.state)", proof: .warning)
}
