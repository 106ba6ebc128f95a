/// Looks at every name in a text, and at what follows it.
struct SecretScanner {
  private let text: String
  private let letters: [Character]
  private let places: [String.Index]
  private var found: [Range<Int>] = []

  init(_ text: String) {
    self.text = text
    letters = Array(text)
    places = Array(text.indices) + [text.endIndex]
  }

  mutating func scan() -> [Range<String.Index>] {
    var place = 0
    while place < letters.count {
      guard isNamePart(letters[place]) else {
        place += 1
        continue
      }
      let start = place
      while place < letters.count, isNamePart(letters[place]) { place += 1 }
      read(name: start..<place)
    }
    readUsers()
    return found.map { places[$0.lowerBound]..<places[$0.upperBound] }
  }

  // MARK: By name

  private mutating func read(name: Range<Int>) {
    let word = String(letters[name])
    if word.hasPrefix("-") { return readOption(word, end: name.upperBound) }
    if ["bearer", "basic"].contains(word.lowercased()) { readScheme(word, name) }
    var next = name.upperBound
    if at(next) == "=" {
      let isAddress = ["?", "&"].contains(at(name.lowerBound - 1))
      if SecretName.isSecret(decoded(word), in: isAddress ? .address : .body) {
        add(fieldValue(from: next + 1, after: name.lowerBound))
      }
      return
    }
    // `"name": "value"`, also with the quotes escaped.
    let closing = quote(at: next)
    next += closing.count
    while at(next) == " " { next += 1 }
    guard at(next) == ":" else { return }
    if !closing.isEmpty {
      if SecretName.isSecret(word, in: .body) { add(jsonValue(from: next + 1)) }
    } else if next == name.upperBound, isHeader(word, at: name.lowerBound, colon: next) {
      add(headerValue(from: next + 1, quote: at(name.lowerBound - 1)))
    }
  }

  /// Prose has colons too: a single word such as `key` is a header only where one is written.
  private func isHeader(_ word: String, at start: Int, colon: Int) -> Bool {
    guard SecretName.isSecret(word, in: .header) else { return false }
    let isQuoted = ["'", "\""].contains(at(start - 1))
    let isBare = at(colon + 1).map { !$0.isWhitespace && $0 != "/" } ?? false
    let isPlain = ["authorization", "cookie"].contains(word.lowercased()) || word.contains("-")
    return isQuoted || isBare || isPlain
  }

  private mutating func readOption(_ word: String, end: Int) {
    let name = word.drop { $0 == "-" }
    if word.hasPrefix("--") {
      let isUser = ["user", "proxy-user"].contains(name)
      guard isUser || SecretName.isSecret(name, in: .body) else { return }
      guard let value = optionValue(from: end), !isUser || letters[value].contains(":") else {
        return
      }
      return add(value)
    }
    guard word.hasPrefix("-u") || word.hasPrefix("-U") else { return }
    // `-ualice:password` too, in which the name ends at the colon.
    if word.count > 2, at(end) == ":" {
      return add(end - word.count + 2..<self.end(from: end) { $0.isWhitespace || isQuote($0) })
    }
    guard word.count == 2, let value = optionValue(from: end), letters[value].contains(":") else {
      return
    }
    add(value)
  }

  // MARK: By shape

  /// `Bearer X` and `Basic X`; in prose a plain word follows.
  private mutating func readScheme(_ word: String, _ name: Range<Int>) {
    var start = name.upperBound
    while at(start) == " " { start += 1 }
    guard start > name.upperBound else { return }
    let value = start..<end(from: start) { $0.isWhitespace || isQuote($0) || ",;)}]".contains($0) }
    let isProse = letters[value].allSatisfy { $0.isLetter && $0.isLowercase }
    let before = at(name.lowerBound - 1)
    let isCredential = before.map { isQuote($0) || $0 == ":" || $0 == "=" } ?? true
    guard isCredential || value.count >= 6 && !isProse else { return }
    // `Basic realm="…"` is what a server asks with.
    let parameter = String(letters[value]).lowercased()
    guard !parameter.hasPrefix("realm="), !parameter.hasPrefix("charset=") else { return }
    // Only padding of base64 may follow an equals sign.
    let padding = letters[value].drop { $0 != "=" }
    guard padding.allSatisfy({ $0 == "=" }) else { return }
    add(value)
  }

  /// `user:password@host`, with or without a scheme before it; with one, `user@` alone too.
  private mutating func readUsers() {
    for sign in letters.indices where letters[sign] == "@" && sign + 1 < letters.count {
      guard isNamePart(letters[sign + 1]) || letters[sign + 1] == "[" else { continue }
      var start = sign
      while start > 0, !letters[start - 1].isWhitespace, !isQuote(letters[start - 1]),
        !"/?#,;(<".contains(letters[start - 1])
      {
        start -= 1
      }
      let hasScheme = start >= 3 && letters[start - 3..<start].elementsEqual("://")
      let user = letters[start..<sign]
      guard hasScheme || user.contains(":") && !user.starts(with: "mailto:"), !user.isEmpty else {
        continue
      }
      add(start..<sign)
    }
  }

  // MARK: Values

  private func fieldValue(from start: Int, after name: Int) -> Range<Int> {
    if let mark = at(start), isQuote(mark) {
      return start + 1..<end(from: start + 1) { $0 == mark }
    }
    // In quotes, a form may hold blanks.
    let mark = at(name - 1).flatMap { isQuote($0) ? $0 : nil }
    return
      start..<end(from: start) { letter in
        letter == "&" || isQuote(letter) || letter == "\n" || mark == nil && letter.isWhitespace
      }
  }

  private func headerValue(from start: Int, quote: Character?) -> Range<Int> {
    var start = start
    while at(start) == " " || at(start) == "\t" { start += 1 }
    if let quote, isQuote(quote) { return start..<end(from: start) { $0 == quote } }
    if let mark = at(start), isQuote(mark) {
      return start + 1..<end(from: start + 1) { $0 == mark }
    }
    return start..<end(from: start) { isQuote($0) || $0 == "\n" }
  }

  private func jsonValue(from start: Int) -> Range<Int> {
    var start = start
    while at(start) == " " { start += 1 }
    let opening = quote(at: start)
    guard !opening.isEmpty else {
      return start..<end(from: start) { ",}]'\"".contains($0) || $0.isWhitespace }
    }
    start += opening.count
    var place = start
    while place < letters.count, quote(at: place) != opening {
      // An escaped quote is part of the text, unless the quotes themselves are escaped.
      place += opening.count == 1 && letters[place] == "\\" ? 2 : 1
    }
    return start..<min(place, letters.count)
  }

  private func optionValue(from end: Int) -> Range<Int>? {
    var start = end
    let isJoined = at(start) == "="
    if isJoined {
      start += 1
    } else {
      while at(start) == " " { start += 1 }
      guard start > end else { return nil }
    }
    guard let first = at(start) else { return nil }
    if isQuote(first) { return start + 1..<self.end(from: start + 1) { $0 == first } }
    let value =
      start..<self.end(from: start) { $0.isWhitespace || isQuote($0) || ";)}".contains($0) }
    // The usage of a command, or a list of options.
    let word = letters[value]
    return !isJoined && (word.first == "-" || word.first == "…") || word.contains("]") ? nil : value
  }

  // MARK: Letters

  private mutating func add(_ value: Range<Int>) {
    // What follows the name of a scheme may be a variable.
    var secret = value
    for scheme in ["bearer ", "basic ", "token "]
    where letters[value].prefix(scheme.count).map({ $0.lowercased() }) == scheme.map(String.init) {
      secret = value.lowerBound + scheme.count..<value.upperBound
    }
    guard !secret.isEmpty, !isReference(secret), !letters[secret].allSatisfy({ $0 == "*" }) else {
      return
    }
    found.append(value)
  }

  /// Whether it is a variable, or an expression in braces, and nothing else.
  private func isReference(_ value: Range<Int>) -> Bool {
    guard letters[value.lowerBound] == "$", value.count > 1 else { return false }
    let rest = letters[value].dropFirst()
    if rest.first == "{" { return rest.firstIndex(of: "}") == rest.indices.last }
    return rest.allSatisfy { $0.isLetter || $0.isNumber || "_-.[]".contains($0) }
  }

  private func end(from start: Int, _ isEnd: (Character) -> Bool) -> Int {
    var place = start
    while place < letters.count, !isEnd(letters[place]) { place += 1 }
    return min(place, letters.count)
  }

  private func at(_ place: Int) -> Character? {
    letters.indices.contains(place) ? letters[place] : nil
  }

  /// The quote at a place, with the backslash before it.
  private func quote(at place: Int) -> [Character] {
    if at(place) == "\"" || at(place) == "'" { return [letters[place]] }
    return at(place) == "\\" && at(place + 1) == "\"" ? ["\\", "\""] : []
  }

  private func isQuote(_ letter: Character) -> Bool { letter == "\"" || letter == "'" }

  private func isNamePart(_ letter: Character) -> Bool {
    letter.isLetter || letter.isNumber || "-_.%".contains(letter)
  }

  private func decoded(_ name: String) -> String {
    guard name.contains("%") else { return name }
    var bytes: [UInt8] = []
    var rest = Array(name.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
