extension Place {
  /// Has a call looked at again once it is known what its variables are throughout.
  func noteConstants(
    in arguments: ArraySlice<Argument>, of signature: CommandSignature, _ range: SourceRange
  ) {
    guard !isAttempted, expansions.isEmpty,
      arguments.contains(where: { Self.variable(of: $0) != nil })
    else { return }
    known.whenKnown { reportImpossibleConstants(in: arguments, of: signature, range) }
  }

  /// Returns the variable that is all of an argument.
  private static func variable(of argument: Argument) -> String? {
    guard case .word(let word) = argument else { return nil }
    switch word.soleExpression?.kind {
    case .variable(let name)?, .name(let name)?: return name
    default: return nil
    }
  }

  /// Reports arguments that cannot be what their variable is throughout.
  private func reportImpossibleConstants(
    in arguments: ArraySlice<Argument>, of signature: CommandSignature, _ range: SourceRange
  ) {
    var places: Set<Int> = []
    let written = arguments.map { argument -> Argument in
      guard let text = Self.variable(of: argument).flatMap({ known.variables[$0]?.constant }) else {
        return argument
      }
      places.insert(argument.range.lower)
      let segment = Word.Segment(content: .text(text), isQuoted: true, range: argument.range)
      return .word(Word(range: argument.range, segments: [segment]))
    }
    if places.isEmpty { return }
    let binder = ArgumentBinder(
      signature: signature, source: source, catalog: catalog, context: nil)
    for problem in binder.examine(written[...], range: range).problems
    where places.contains(problem.range.lower)
      && problem.is(.wrongKind, .outOfRange, .unknownChoice)
    { add(problem) }
  }

  /// Warns of arguments that are hardly meant as what they are: `delay 500`, which is seconds, and
  /// `echo q1.state`, which is text.
  func warnOfDoubtfulWords(_ result: CommandCall, _ signature: CommandSignature) {
    for element in result.arguments {
      for argument in element.arguments {
        switch argument.value {
        case .duration?:
          guard let number = Int64(argument.text), number >= Self.fewestDoubtful else { break }
          report(
            .bareSeconds, "\(number) without a unit is \(number) seconds", argument.range,
            help: "write \(number)s or \(number)ms", severity: .warning)
        case .string(let text)? where text == argument.text && text.utf8.contains(.dot):
          guard signature.kind(of: element.name) == .any, isProperty(text) else { break }
          report(
            .propertyAsText, "'\(text)' is only a text here", argument.range,
            help: "for the property write: (\(text))", severity: .warning)
        default: break
        }
      }
    }
  }

  /// The smallest number without a unit that was hardly meant as seconds.
  private static let fewestDoubtful: Int64 = 100

  /// Returns whether a text with a dot is written like a property of something that there is.
  private func isProperty(_ text: String) -> Bool {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let (name, property) = (String(parts[0]), String(parts[1]))
    return facts?.namespaces.contains { namespace, thing in
      thing.properties[property] != nil
        && (thing.names.contains(name) || known.symbols.names(in: namespace).contains(name))
    } == true
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
    """, help: "write the unit: 500ms or 500s", wrong: "delay 500", right: "delay 500ms",
    proof: .warning)
}

extension ErrorPage {
  static let propertyAsText = ErrorPage(
    "property-as-text", "The property of an operation is only a text",
    "Properties are read in parentheses, in '${…}' and in conditions; elsewhere a word is a text.",
    help: "write it in parentheses", wrong: "delay 1ms --name a\necho a.state",
    right: "delay 1ms --name a\necho (a.state)", proof: .warning)
}
