extension Place {
  /// Notes the texts written out in what a variable, or a name of `for`, gets.
  func noteTexts(of argument: Argument, for name: String) {
    switch argument {
    case .word(let word):
      if let text = word.constant { note(text: text, isBare: word.bareText != nil, for: name) }
    case .expression(let expression, _), .assignedExpression(_, let expression, _):
      noteTexts(of: expression, for: name)
    case .block: break
    }
  }

  /// Notes the texts that a call of a `def` gives its parameters.
  func noteTexts(of call: CommandCall) {
    for element in call.arguments {
      for argument in element.arguments {
        if case .expression(let expression) = argument.content {
          noteTexts(of: expression, for: element.name)
        } else if case .string(let text)? = argument.value {
          note(text: text, isBare: text == argument.text, for: element.name)
        }
      }
    }
  }

  /// Notes what was meant as a text without its quotes, as in `let password = hunter2`.
  func noteMistakenText(_ command: CommandStatement, for name: String) {
    guard let word = command.arguments[0].bareText, known.words.later[word] == nil,
      case .unknown(.unknownCommand) = meaning(of: command)
    else { return }
    setting.noteText(name, source.text(in: command.range))
  }

  /// Notes the operands that are texts: the value is one of them, or they are part of it.
  private func noteTexts(of expression: Expression, for name: String) {
    switch expression.kind {
    case .literal(.string(let text)): setting.noteText(name, text)
    case .binary(.add, let left, let right, _), .binary(.coalesce, let left, let right, _):
      noteTexts(of: left, for: name)
      noteTexts(of: right, for: name)
    case .call("list", let elements, _):
      for element in elements { noteTexts(of: element, for: name) }
    default: break
    }
  }

  /// Notes a text, unless it is a number or another literal.
  private func note(text: String, isBare: Bool, for name: String) {
    if !isBare || LiteralReader.value(of: text) == nil { setting.noteText(name, text) }
  }
}
