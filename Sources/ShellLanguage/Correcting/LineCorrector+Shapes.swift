extension LineCorrector {
  /// The statements of the language that are written as in another one: assignments, definitions
  /// and loops.
  func shapes(of statement: LooseStatement, inLine line: String) -> [Candidate] {
    let text = statement.withPlainSigns
    var lines = text == statement.text ? [] : [text]
    lines += assignments(text) + definitions(text)
    if let control = Self.control(line, variables) { lines.append(control) }
    // Of two readings the first is the likelier.
    return lines.enumerated().map { Candidate(line: $1, cost: Cost.shape + 2 * $0) }
  }

  /// `x = 5`, `set x = 5`, `x += 1` and `x++` set a variable; `alias ll='ops'` defines an alias.
  private func assignments(_ text: String) -> [String] {
    if let match = text.wholeMatch(of: /alias\s+([A-Za-z][\w-]*)=['"]?([^'"]+)['"]?/) {
      return ["alias \(match.1) = \(match.2)"]
    }
    if let match = text.wholeMatch(of: /\$?([A-Za-z_]\w*)(?:\+\+|--)/) {
      return ["let \(match.1) = ($\(match.1) \(text.hasSuffix("+") ? "+" : "-") 1)"]
    }
    guard
      let match = text.wholeMatch(
        of:
          /(?:(?:set|local|declare|var|const|my|let)\s+)?\$?([A-Za-z_]\w*)\s*([-+*\/]?)=\s*([^=].*)/
      )
    else { return [] }
    let (name, value) = (match.1, match.3)
    if !match.2.isEmpty { return ["let \(name) = ($\(name) \(match.2) \(value))"] }
    let plain = "let \(name) = \(value)"
    return value.hasPrefix("(") ? [plain] : [plain, "let \(name) = (\(value))"]
  }

  /// `f() { … }` and `function f { … }` define a command.
  private func definitions(_ text: String) -> [String] {
    guard
      let match = text.wholeMatch(
        of: /((?:function|func|fn|def)\s+)?([A-Za-z][\w-]*)(?:\(([\w\s,]*)\))?\s*(\{.*\})/),
      match.1 != nil || match.3 != nil
    else { return [] }
    let parameters = (match.3 ?? "").split { $0 == "," || $0.isWhitespace }
    return [(["def", match.2] + parameters + [match.4]).joined(separator: " ")]
  }

  /// A loop or condition as sh or Python has it: `while true; do …; done`, `if x == 3: …`.
  private static func control(_ line: String, _ variables: Set<String>) -> String? {
    guard
      let match = line.wholeMatch(
        of:
          /\s*(for|while|if)\s+(.+?)(?:\s*;\s*(?:do|then)\s|\s*:\s)\s*(.+?)(?:[\s;]+(?:done|fi))?\s*/
      )
    else { return nil }
    var head = String(match.2)
    if match.1 == "for" {
      head = head.replacing(/\sin\s+ops$/, with: " in all")
    } else {
      let operators = [
        "-eq": "==", "-ne": "!=", "-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">=", "=": "==",
      ]
      let words = head.split { $0.isWhitespace || "[]".contains($0) }.map { word in
        let word = String(word)
        return operators[word] ?? (variables.contains(word) ? "$\(word)" : word)
      }
      head = "(\(words.joined(separator: " ")))"
    }
    var body = String(match.3)
    if let name = head.firstMatch(of: /^([A-Za-z]\w*) in/)?.1, !body.contains("$") {
      // `for op in ops: cancel op`
      body = body.split(separator: " ").map { $0 == name ? "$\(name)" : String($0) }
        .joined(separator: " ")
    }
    return "\(match.1) \(head) { \(body) }"
  }
}
