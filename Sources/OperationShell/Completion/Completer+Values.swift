import CommandParts
import Operations
import ShellLanguage
import ShellSession
import OpshTerminal

extension Completer {
  /// Adds examples of durations, sizes or shares; after a typed number, the units it can have.
  func addAmounts(of kind: ArgumentKind, to list: inout CandidateList) {
    let (examples, units): ([(String, String)], [(String, String)]) =
      switch kind {
      case .duration:
        (
          [("200ms", "milliseconds"), ("2s", "seconds"), ("1m", "minutes")],
          [("ms", "milliseconds"), ("s", "seconds"), ("m", "minutes"), ("h", "hours")]
        )
      case .size:
        (
          [("512B", "bytes"), ("64kB", "kilobytes"), ("1MB", "megabytes")],
          [("B", "bytes"), ("kB", "kilobytes"), ("MB", "megabytes")]
        )
      default: ([("20%", "a share")], [("%", "a share")])
      }
    let isNumber = !list.prefix.isEmpty && list.prefix.allSatisfy { $0.isNumber || $0 == "." }
    let texts = isNumber ? units.map { (list.prefix + $0.0, $0.1) } : examples
    for (text, summary) in texts where LiteralReader.value(of: text) != nil {
      list.add(text, summary: summary)
    }
  }

  /// Adds what a property of operations or queues can be, for a comparison with it.
  func addValues(ofProperty path: String, to list: inout CandidateList) {
    let name = path.split(separator: ".").last.map(String.init) ?? path
    switch name {
    case "queue": addQueues(to: &list)
    case "name": addOperations(to: &list, offersAll: nil) { _ in true }
    case "kind":
      for kind in Set(session.jobs.operations.all.map(\.kind)).sorted() {
        let text = kind.contains(" ") ? "\"\(kind)\"" : kind
        if list.wants(kind) || list.wants(text) { list.add(text, verbatim: true) }
      }
    default:
      guard let kind = Jobs.kind(ofProperty: name) else { return addOperands(to: &list) }
      for word in kind.words ?? [] { list.add(word, summary: "a value of '\(name)'") }
      if kind.families.contains(.boolean) {
        for word in ["true", "false"] { list.add(word) }
      }
      if kind.families.contains(.duration) { addAmounts(of: .duration, to: &list) }
      if kind.families.contains(.null) { list.add("null", summary: "none, or not yet") }
    }
  }

  /// Adds what can stand between two operands.
  func addOperators(to list: inout CandidateList) {
    for (sign, summary) in [
      ("==", "equal"), ("!=", "not equal"), ("<", "less"), ("<=", "less or equal"),
      (">", "greater"), (">=", "greater or equal"),
    ] where list.wants(sign) {
      list.add(sign, summary: summary, verbatim: true)
    }
    for word in [ExpressionWord.and, .or, .in, .matches, .before, .after] {
      list.add(word.rawValue, summary: word.summary)
    }
  }
}
