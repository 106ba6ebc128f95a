import OpshLocking

@testable import ShellLanguage

/// What a script means, without where it stands: two scripts with the same outline run alike.
struct ScriptOutline {
  static func text(of script: Script) -> String { text(of: script.statements) }

  private static func text(of statements: [Statement]) -> String {
    statements.map { text(of: $0) }.joined(separator: "\n")
  }

  private static func text(of block: Block) -> String {
    "{" + (CallStack.isNearlyFull ? "…" : text(of: block.statements)) + "}"
  }

  private static func text(of statement: Statement) -> String {
    switch statement.kind {
    case .command(let command): text(of: command)
    case .expression(let expression, let redirection):
      "show \(text(of: expression))" + text(of: redirection)
    case .assignment(let assignment):
      switch assignment.source {
      case .command(let command): "let \(assignment.name.text) = \(text(of: command))"
      case .value(let argument): "let \(assignment.name.text) = \(text(of: argument))"
      }
    case .conditional(let clauses, let otherwise):
      clauses.map { "if \(text(of: $0.condition)) \(text(of: $0.block))" }.joined()
        + (otherwise.map { "else" + text(of: $0) } ?? "")
    case .whileLoop(let condition, let block):
      "while \(text(of: condition))\(text(of: block))"
    case .repeatLoop(let count, let block): "repeat \(text(of: count))\(text(of: block))"
    case .forLoop(let name, let items, let block):
      "for \(name.text) \(items.map { text(of: $0) })\(text(of: block))"
    case .definition(let definition):
      "def \(definition.name.text) "
        + definition.parameters.map {
          $0.name.text + ($0.standard.map { "=" + text(of: $0) } ?? "")
        }.joined(separator: " ") + text(of: definition.block)
    case .returning(let argument): "return \(argument.map { text(of: $0) } ?? "")"
    case .breaking: "break"
    case .continuing: "continue"
    case .attempt(let block, let name, let handler):
      "try\(text(of: block))\(name.text)\(text(of: handler))"
    case .invalid: "invalid"
    }
  }

  private static func text(of command: CommandStatement) -> String {
    "run \(command.arguments.map { text(of: $0) })" + text(of: command.redirection)
  }

  private static func text(of redirection: RedirectionSyntax?) -> String {
    guard let redirection else { return "" }
    return " | \(redirection.programs.map { $0.map { text(of: $0) } }) "
      + (redirection.file.map { (redirection.isAppending ? ">>" : ">") + text(of: $0) } ?? "")
  }

  private static func text(of argument: Argument) -> String {
    switch argument {
    case .word(let word): text(of: word)
    case .expression(let expression, _): "(\(text(of: expression)))"
    case .assignedExpression(let word, let expression, _):
      text(of: word) + "(\(text(of: expression)))"
    case .block(let block): text(of: block)
    }
  }

  private static func text(of word: Word) -> String {
    // How bare text is cut into segments, around a continued line say, means nothing.
    var parts: [(isQuoted: Bool, text: String)] = []
    for segment in word.segments {
      let part: String
      switch segment.content {
      case .text(let text): part = text
      case .expression(let expression): part = "${\(text(of: expression))}"
      }
      if let last = parts.last, last.isQuoted == segment.isQuoted {
        parts[parts.count - 1].text += part
      } else {
        parts.append((segment.isQuoted, part))
      }
    }
    return parts.map { $0.isQuoted ? "\"\($0.text)\"" : $0.text }.joined()
  }

  private static func text(of expression: Expression) -> String {
    CallStack.isNearlyFull ? "…" : wholeText(of: expression)
  }

  private static func wholeText(of expression: Expression) -> String {
    switch expression.kind {
    case .literal(let value): "\(value.typeName) \(value.text)"
    case .interpolation(let word): text(of: word)
    case .variable(let name): "$\(name)"
    case .bareWord(let word): "bare \(word)"
    case .object(let name): "object \(name)"
    case .name(let name): "name \(name)"
    case .reference(let name): "reference \(name)"
    case .property(let base, let name, _): "\(text(of: base)).\(name)"
    case .element(let base, let index): "\(text(of: base))[\(text(of: index))]"
    case .call(let name, let arguments, _): "\(name)(\(arguments.map { text(of: $0) }))"
    case .count(let clause):
      "count of \(text(of: clause.things)) where \(clause.condition.map { text(of: $0) } ?? "-")"
    case .unary(let unary, let operand): "\(unary)(\(text(of: operand)))"
    case .binary(let binary, let left, let right, _):
      "(\(text(of: left)) \(binary.rawValue) \(text(of: right)))"
    }
  }
}
