import ShellLanguage
import ShellSession

extension Completer {
  /// A variable that the typed text defines, and that has no value yet.
  private struct Declared {
    enum Kind { case value, caught, change, operation }

    let name: String
    let kind: Kind
  }

  /// The existing variables, and those that the text before the cursor defines.
  func addVariables(_ request: Request, to list: inout CandidateList) {
    let variables = interpreter.variables
    for name in variables.keys.sorted() where list.wants(name) {
      let summary = variables[name].map(summary) ?? ""
      list.add(name, summary: summary, appendsSpace: false, verbatim: true)
    }
    for declared in declared(in: request.before) where list.wants(declared.name) {
      list.add(declared.name, appendsSpace: false, verbatim: true)
    }
    if list.wants("env") {
      list.add("env", summary: "the environment", appendsSpace: false, verbatim: true)
    }
  }

  private func summary(of value: Value) -> String {
    switch value {
    case .list(let elements): "\(elements.count) elements"
    case .object(let object as OperationObject):
      "\(object.text), \(Self.description(of: object.operation))"
    case .record, .null: value.typeName
    // Before it is cut, so that no part of a secret is left.
    default: "\(value.typeName) \(session.screen.secrets.mask(value.text).prefix(40))"
    }
  }

  /// The properties of a variable that has no value yet.
  func declaredProperties(of base: String, _ request: Request) -> [String] {
    guard base.hasPrefix("$"), !base.contains(".") else { return [] }
    let name = base.dropFirst()
    guard let declared = declared(in: request.before).last(where: { $0.name == name }) else {
      return []
    }
    return switch declared.kind {
    case .value, .operation: OperationObject.propertyNames
    case .caught: ["code", "message", "file", "line", "column"]
    case .change: ["subject", "keyPath", "initial", "prior", "old", "new"]
    }
  }

  /// Finds the words that define variables.
  ///
  /// It reads only words: incomplete text can't be parsed yet.
  private func declared(in text: String) -> [Declared] {
    let spaced = text.flatMap { $0 == "{" ? " { " : String($0) }
    let words = spaced.split { $0.isWhitespace || ";()}".contains($0) }.map { String($0) }
    var result: [Declared] = []
    for (index, word) in words.enumerated() {
      let next = words[(index + 1)...]
      switch Keyword(word) {
      case .let, .for: result += next.prefix(1).map { Declared(name: $0, kind: .value) }
      case .catch: result += next.prefix(1).map { Declared(name: $0, kind: .caught) }
      case .def:
        result += next.prefix { $0 != "{" }.dropFirst().map { Declared(name: $0, kind: .value) }
      default: break
      }
    }
    if words.contains("{"), words.contains("block") {
      result += [Declared(name: "self", kind: .operation), Declared(name: "input", kind: .value)]
    }
    if words.contains("{"), words.contains("observe") {
      result.append(Declared(name: "change", kind: .change))
    }
    return result
  }
}
