/// What an assignment adds to the variable's own value: `let l = ($l + list(1))`, `let t = "${t}x"`.
enum Growth: Sendable {
  /// The value on the right of a plus.
  case sum(Expression)
  /// The rest of a text, in the place of the whole.
  case text(Word)

  init?(_ name: Name, _ source: Assignment.Source) {
    guard case .value(let argument) = source else { return nil }
    switch argument {
    case .expression(let expression, _):
      if case .interpolation(let word) = expression.kind {
        self.init(name, word)
        return
      }
      guard case .binary(.add, let left, let right, _) = expression.kind,
        case .variable = left.kind, left.symbol == name.symbol
      else { return nil }
      self = .sum(right)
    case .word(let word): self.init(name, word)
    case .assignedExpression, .block: return nil
    }
  }

  private init?(_ name: Name, _ word: Word) {
    guard word.segments.count > 1, let first = word.segments.first,
      case .expression(let expression) = first.content, expression.symbol == name.symbol
    else { return nil }
    switch expression.kind {
    case .variable, .name: break
    default: return nil
    }
    self = .text(Word(range: word.range, segments: Word.Segments(word.segments.dropFirst())))
  }
}

extension ExecutionContext {
  /// Whether a variable has a value that can be appended to.
  func canGrow(_ name: Name) -> Bool {
    scope.change(name.symbol) { value, _ in value.growingKind != nil } ?? false
  }

  /// Appends to a variable where its value is; false if the value is to be computed and assigned.
  ///
  /// Otherwise each step of a loop that builds a list or a text would copy all that it has built so
  /// far. Whatever is an error is left to the computing.
  func grow(_ name: Name, _ growth: Growth) throws -> Bool {
    guard let kind = scope.change(name.symbol, { value, _ in value.growingKind }) else {
      return false
    }
    switch (kind, growth) {
    case (.list, .sum(let operand)):
      guard case .list(let part) = try evaluate(operand), let size = try? ListSize(of: part)
      else { return false }
      return grow(name, by: part, size)
    case (.text, .sum(let operand)):
      guard case .string(let part) = try evaluate(operand) else { return false }
      return grow(name, by: part)
    case (.text, .text(let word)): return grow(name, by: try evaluator.text(of: word))
    default: return false
    }
  }

  private func grow(_ name: Name, by part: [Value], _ partSize: ListSize) -> Bool {
    host.willBind(name.text, to: .list(part))
    return scope.change(name.symbol) { value, size in
      guard case .list(var elements) = value, var whole = try? size ?? ListSize(of: elements),
        (try? whole.append(partSize)) != nil
      else { return false }
      // Nothing else holds the elements then, unless another variable does.
      value = .null
      elements.append(contentsOf: part)
      value = .list(elements)
      size = whole
      return true
    } ?? false
  }

  private func grow(_ name: Name, by part: String) -> Bool {
    let end = scope.change(name.symbol) { value, _ -> String? in
      guard case .string(let text) = value,
        text.utf8.count + part.utf8.count <= Evaluator.maximumTextLength
      else { return nil }
      return Self.end(of: text) + part
    }
    guard case .some(let end?) = end else { return false }
    host.willBind(name.text, to: .string(end))
    return scope.change(name.symbol) { value, _ in
      guard case .string(var text) = value else { return false }
      value = .null
      text += part
      value = .string(text)
      return true
    } ?? false
  }

  /// What a host must see of a text that grows to find a secret in it: all of it, and of a long one
  /// as much as is before the end of any key.
  private static func end(of text: String) -> String {
    if text.utf8.count <= 16_384 { return text }
    return String(decoding: text.utf8.suffix(4096), as: UTF8.self)
  }
}

extension Value {
  fileprivate enum GrowingKind { case list, text }

  /// Whether it can be appended to.
  fileprivate var growingKind: GrowingKind? {
    switch self {
    case .list: .list
    case .string: .text
    default: nil
    }
  }
}
