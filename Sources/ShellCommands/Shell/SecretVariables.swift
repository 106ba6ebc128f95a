import OpshLocking
import OpshSecrets
import ShellLanguage
import ShellSession

/// The variables of the environment that a saved script reads in place of secret texts.
struct SecretVariables {
  /// The texts, the longest first, each with its variable.
  private var texts: [(text: String, variable: String)] = []
  private let secrets: SecretMask

  /// Finds the secret texts in a script: those of variables and parameters, and keys such as `sk-…`.
  init(of text: String, secrets: SecretMask, in run: Run, host: any CommandHost) {
    self.secrets = secrets
    let script = Parser.parse(SourceText(name: "", text: text))
    let found = Locked<[(name: String, text: String)]>([])
    _ = run.checkForLater(script, host: host) { name, text in
      found.withLock { $0.append((name, text)) }
    }
    for (name, text) in found.withLock({ $0 }) {
      if VariableText.isSecret(text, of: name) || VariableText.keys(in: text) == [text] {
        add(text, named: name)
      }
    }
    for key in VariableText.keys(in: text) { add(key, named: "secret_key") }
    texts.sort { $0.text.utf8.count > $1.text.utf8.count }
  }

  private mutating func add(_ text: String, named name: String) {
    guard !texts.contains(where: { $0.text == text }) else { return }
    let base = Self.environmentName(name)
    var variable = base
    var number = 1
    while texts.contains(where: { $0.variable == variable }) {
      number += 1
      variable = "\(base)_\(number)"
    }
    texts.append((text, variable))
  }

  /// `API_KEY` for `api_key` and `apiKey`.
  private static func environmentName(_ name: String) -> String {
    var result = ""
    for letter in name {
      if letter.isUppercase, result.last?.isLowercase == true { result.append("_") }
      result.append(letter == "-" ? "_" : letter)
    }
    return result.uppercased()
  }

  /// The names of the variables that a script reads.
  func names(in text: String) -> [String] {
    texts.map(\.variable).filter { name in
      text.ranges(of: "$env.\(name)").contains { text[$0.upperBound...].first?.isNamePart != true }
    }.sorted()
  }

  /// A script with variables in place of the texts, each such line after a comment that names them.
  func replaced(in text: String) -> String {
    guard !texts.isEmpty else { return text }
    return Parser.parse(SourceText(name: "", text: text)).text(splitting: pieces) { names in
      "# A secret was typed here; set in the environment before a run: "
        + names.joined(separator: ", ")
    }
  }

  /// The pieces of a text that holds one of the texts.
  private func pieces(of text: String, isQuoted: Bool) -> [TextPiece]? {
    for (secret, variable) in texts {
      // Without quotes, a word such as 'cancel' belongs to a command.
      guard isQuoted || !secrets.isOrdinary(secret),
        let range = KnownSecrets.range(of: secret, in: text)
      else { continue }
      func rest(_ part: Substring) -> [TextPiece] {
        part.isEmpty ? [] : pieces(of: String(part), isQuoted: isQuoted) ?? [.text(String(part))]
      }
      return rest(text[..<range.lowerBound]) + [.variable(variable)]
        + rest(text[range.upperBound...])
    }
    return nil
  }
}

extension Character {
  fileprivate var isNamePart: Bool { isLetter || isNumber || self == "_" }
}
