/// A piece of a text of which some parts become variables of the environment.
public enum TextPiece: Sendable, Hashable {
  /// It stays as it is.
  case text(String)
  /// A variable of the environment takes its place.
  case variable(String)
}

extension Script {
  /// The text with variables of the environment in place of parts of its words.
  ///
  /// `let password = 'X'` becomes `let password = "$env.PASSWORD"`, and `--header 'X-Key: X'` becomes
  /// `--header "X-Key: $env.PASSWORD"`. Names of commands and options stay, and so does the text after
  /// `!`, which is not of this language.
  ///
  /// - Parameters:
  ///   - split: Returns the pieces of a text, and is told whether it stands in quotes; nil if it stays.
  ///   - note: Returns the comment that stands before a line with some variables.
  /// - Returns: The text.
  public func text(
    splitting split: (_ text: String, _ isQuoted: Bool) -> [TextPiece]?,
    note: (_ variables: [String]) -> String
  ) -> String {
    withoutActuallyEscaping(split) { split in
      var writer = VariableWriter(source: source, split: split)
      var variables: [Int: [String]] = [:]
      for statement in statements {
        writer.variables = []
        writer.look(at: statement)
        let line = lineStart(of: statement)
        for name in writer.variables where variables[line]?.contains(name) != true {
          variables[line, default: []].append(name)
        }
      }
      let comments = variables.map { (range: SourceRange($0, $0), text: note($1) + "\n") }
      var (text, place) = ("", 0)
      for edit in (comments + writer.edits).sorted(by: {
        ($0.range.lower, $0.range.upper) < ($1.range.lower, $1.range.upper)
      }) {
        text += source.text(in: SourceRange(place, edit.range.lower)) + edit.text
        place = edit.range.upper
      }
      return text + source.text(in: SourceRange(place, source.count))
    }
  }

  /// The start of the line of a statement, or of the statement that ends on that line.
  private func lineStart(of statement: Statement) -> Int {
    let start = source.lineRange(at: statement.range.lower).lower
    let around = statements.first { $0.range.lower < start && start < $0.range.upper }
    return around.map(lineStart) ?? start
  }
}

/// Collects the changes of ``Script/text(splitting:)``.
private struct VariableWriter {
  let source: SourceText
  let split: (_ text: String, _ isQuoted: Bool) -> [TextPiece]?
  var edits: [(range: SourceRange, text: String)] = []
  var variables: [String] = []

  mutating func look(at statement: Statement) {
    switch statement.kind {
    case .command(let command): look(at: command)
    case .expression(let expression, let redirection):
      look(at: expression)
      look(at: redirection)
    case .assignment(let assignment):
      switch assignment.source {
      case .command(let command): look(at: command)
      case .value(let argument): look(at: argument)
      }
    case .conditional(let clauses, let otherwise):
      for clause in clauses {
        look(at: clause.condition)
        look(at: clause.block)
      }
      if let otherwise { look(at: otherwise) }
    case .whileLoop(let condition, let block):
      look(at: condition)
      look(at: block)
    case .repeatLoop(let count, let block):
      look(at: count)
      look(at: block)
    case .forLoop(_, let items, let block):
      for item in items { look(at: item) }
      look(at: block)
    case .definition(let definition):
      for parameter in definition.parameters { if let it = parameter.standard { look(at: it) } }
      look(at: definition.block)
    case .returning(let argument): if let argument { look(at: argument) }
    case .attempt(let block, _, let handler):
      look(at: block)
      look(at: handler)
    case .breaking, .continuing, .invalid: break
    }
  }

  private mutating func look(at block: Block) {
    for statement in block.statements { look(at: statement) }
  }

  private mutating func look(at command: CommandStatement) {
    for argument in command.arguments.dropFirst() { look(at: argument) }
    look(at: command.redirection)
  }

  private mutating func look(at redirection: RedirectionSyntax?) {
    guard let redirection else { return }
    for argument in redirection.programs.flatMap(\.self) { look(at: argument) }
    if let file = redirection.file { look(at: file) }
  }

  private mutating func look(at argument: Argument) {
    if argument.isShellLine { return }
    switch argument {
    case .word(let word): look(at: word)
    case .expression(let expression, _), .assignedExpression(_, let expression, _):
      look(at: expression)
    case .block(let block): look(at: block)
    }
  }

  private mutating func look(at word: Word) {
    for segment in word.segments {
      switch segment.content {
      case .expression(let expression): look(at: expression)
      case .text(let text) where segment.isQuoted:
        let around = SourceRange(segment.range.lower - 1, segment.range.upper + 1)
        let written = source.text(in: around)
        if written.first == "'", written.last == "'" {
          replace(around, text, isQuoted: true)
        } else if let pieces = split(text, true) {
          edits.append((segment.range, self.text(of: pieces)))
        }
      case .text(let text): replaceBare(segment.range, text)
      }
    }
  }

  private mutating func look(at expression: Expression) {
    switch expression.kind {
    case .literal(.string(let text)): replace(expression.range, text, isQuoted: true)
    case .bareWord(let word): replace(expression.range, word, isQuoted: false)
    case .interpolation(let word): look(at: word)
    case .property(let base, _, _): look(at: base)
    case .element(let base, let index):
      look(at: base)
      look(at: index)
    case .call(_, let arguments, _): for argument in arguments { look(at: argument) }
    case .unary(_, let operand): look(at: operand)
    case .binary(_, let left, let right, _):
      look(at: left)
      look(at: right)
    case .count(let clause):
      look(at: clause.things)
      if let condition = clause.condition { look(at: condition) }
    case .literal, .variable, .object, .name, .reference: break
    }
  }

  /// Replaces a whole text, with its quotes, by one in double quotes.
  private mutating func replace(_ range: SourceRange, _ text: String, isQuoted: Bool) {
    guard let pieces = split(text, isQuoted) else { return }
    edits.append((range, "\"" + self.text(of: pieces) + "\""))
  }

  /// Replaces parts of a bare word; of an option, parts of its value.
  private mutating func replaceBare(_ range: SourceRange, _ text: String) {
    var (start, value) = (range.lower, text[...])
    if text.hasPrefix("-") {
      guard let sign = text.firstIndex(of: "=") else { return }
      value = text[text.index(after: sign)...]
      start += text[...sign].utf8.count
    }
    guard let pieces = split(String(value), false) else { return }
    let written = pieces.map { piece in
      if case .text(let text) = piece { return text }
      return "\"" + self.text(of: [piece]) + "\""
    }
    edits.append((SourceRange(start, range.upper), written.joined()))
  }

  /// The inside of a text in double quotes.
  private mutating func text(of pieces: [TextPiece]) -> String {
    var text = ""
    for (index, piece) in pieces.enumerated() {
      switch piece {
      case .text(let part):
        for scalar in part.unicodeScalars {
          switch scalar {
          case "\\", "\"", "$": text += "\\\(scalar)"
          case "\n": text += "\\n"
          case "\t": text += "\\t"
          default: text.unicodeScalars.append(scalar)
          }
        }
      case .variable(let name):
        variables.append(name)
        var isFollowed = false
        if index + 1 < pieces.count, case .text(let next) = pieces[index + 1] {
          isFollowed = next.first?.isWhitespace == false
        }
        // Without braces, what follows could belong to the name.
        text += isFollowed ? "${$env.\(name)}" : "$env.\(name)"
      }
    }
    return text
  }
}
