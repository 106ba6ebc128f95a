extension ScriptChecker {
  /// A call with variables in it that are perhaps the same throughout.
  struct ConstantCall {
    let signature: CommandSignature
    let arguments: ArraySlice<Argument>
    let range: SourceRange
    let source: SourceText
  }

  /// Keeps a call to be looked at again once it is known what its variables are throughout.
  func noteConstants(
    in arguments: ArraySlice<Argument>, of signature: CommandSignature, _ range: SourceRange
  ) {
    guard facts != nil, attemptDepth == 0, aliasDepth == 0,
      arguments.contains(where: { variable(of: $0) != nil })
    else { return }
    constantCalls.append(
      ConstantCall(signature: signature, arguments: arguments, range: range, source: source))
  }

  /// Reports a pattern of `format` that is written out and does not fit its values.
  func checkPattern(_ arguments: [Expression], _ range: SourceRange) {
    guard attemptDepth == 0, let first = arguments.first else { return }
    let pattern: String
    switch first.kind {
    case .literal(let value): pattern = value.text
    case .interpolation(let word):
      guard let constant = word.constant else { return }
      pattern = constant
    default: return
    }
    do throws(UnplacedError) {
      try TextPattern(pattern).check(count: arguments.count - 1)
    } catch {
      report(error.page, error.message, range, help: error.help)
    }
  }

  /// The variable that is all of an argument.
  private func variable(of argument: Argument) -> String? {
    guard case .word(let word) = argument else { return nil }
    switch word.soleExpression?.kind {
    case .variable(let name)?, .name(let name)?: return name
    default: return nil
    }
  }

  /// Reports what a variable is that an argument cannot be.
  func reportImpossibleConstants() {
    guard !hasUnknownNames else { return }
    for call in constantCalls {
      guard
        call.arguments.contains(where: { argument in
          variable(of: argument).flatMap { variables[$0]?.constant } != nil
        })
      else { continue }
      var places: Set<Int> = []
      let written = call.arguments.map { argument -> Argument in
        guard let name = variable(of: argument), let text = variables[name]?.constant
        else { return argument }
        places.insert(argument.range.lower)
        let segment = Word.Segment(
          content: .text(text), isQuoted: true, range: argument.range)
        return .word(Word(range: argument.range, segments: [segment]))
      }
      let result = ArgumentBinder(
        signature: call.signature, source: call.source, catalog: catalog, context: nil
      ).examine(written[...], range: call.range)
      diagnostics += result.problems.filter {
        places.contains($0.range.lower)
          && $0.is(.wrongKind, .outOfRange, .unknownChoice)
      }
    }
  }
}
