/// Finds secret names and shapes in a text, and their values.
///
/// It takes time linear in the length of the text: a value that was found is not scanned again, and
/// the search after a name ends with the line, the word or the text.
struct SecretScanner {
  private let letters: [Character]
  private let places: [String.Index]
  private var found: [Range<Int>] = []
  /// The end of the last word that was checked as an option's value and is not secret.
  private var rejectedEnd = 0
  /// The end of the last value in which an encoded address was looked for.
  private var decodedEnd = 0
  /// Whether it is the text of a value that was percent-decoded, whose values are not decoded again.
  private let isDecoded: Bool

  init(_ text: String, isDecoded: Bool = false) {
    self.isDecoded = isDecoded
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
      if let end = read(name: start..<place) { place = max(place, end) }
    }
    readUsers()
    return found.map { places[$0.lowerBound]..<places[$0.upperBound] }
  }

  // MARK: By name

  /// Finds the value of a name, and returns its end; nil if the name has no secret value.
  private mutating func read(name: Range<Int>) -> Int? {
    let word = String(letters[name])
    if word.hasPrefix("-") { return readOption(word, end: name.upperBound) }
    if ["bearer", "basic"].contains(word.lowercased()), let end = readScheme(name) { return end }
    if at(name.upperBound)?.isWhitespace == true, let end = readAssignment(word, name.upperBound) {
      return end
    }
    if let length = SecretKey.length(in: word.utf8) {
      return add(name.lowerBound..<name.lowerBound + length)
    }
    if at(name.upperBound) == "=" {
      let isAddress = ["?", "&"].contains(at(name.lowerBound - 1))
      let text = String(decoding: Credentials.percentDecodedBytes(word), as: UTF8.self)
      let start = name.upperBound + 1
      if SecretName.isSecret(text, in: isAddress ? .address : .body) {
        return add(fieldValue(from: start, after: name.lowerBound))
      }
      // What is inside a value that was decoded needs no second look.
      guard !isDecoded, start >= decodedEnd else { return nil }
      let value = fieldValue(from: start, after: name.lowerBound)
      decodedEnd = value.upperBound
      return holdsEncodedSecret(value) ? add(value) : nil
    }
    // `"name": "value"`, also with the quotes escaped.
    let closing = quote(at: name.upperBound)
    let colon = afterWhitespace(name.upperBound + closing.count)
    guard at(colon) == ":" else { return nil }
    if !closing.isEmpty {
      guard SecretName.isSecret(word, in: .body) else { return nil }
      return addJSON(from: colon + 1)
    }
    guard colon == name.upperBound, isHeader(word, at: name.lowerBound, colon: colon) else {
      return nil
    }
    return add(headerValue(from: colon + 1, quote: at(name.lowerBound - 1)))
  }

  /// Prose has colons too: a single word such as `key` counts as a header only in header syntax.
  private func isHeader(_ word: String, at start: Int, colon: Int) -> Bool {
    guard SecretName.isSecret(word, in: .header) else { return false }
    if word.lowercased() == "authorization" || word.contains("-") { return true }
    let isQuoted = ["'", "\""].contains(at(start - 1))
    if word.lowercased() == "cookie" {
      return beginsAsCookies(at: colon + 1)
    }
    let isBare = at(colon + 1).map { !$0.isWhitespace && $0 != "/" } ?? false
    // `.key:hover` is CSS, `Key:abc` a header.
    if isBare { return word.first?.isUppercase == true || isQuoted }
    guard isQuoted else { return false }
    // Prose continues after the first word.
    let value = afterWhitespace(colon + 1, isInLine: true)
    return at(wordEnd(from: value)).map(isQuote) ?? true
  }

  /// Whether a `=` follows, after nothing but names: as much is read as the next `Cookie:` would end.
  private func beginsAsCookies(at start: Int) -> Bool {
    var place = afterWhitespace(start, isInLine: true)
    if let mark = at(place), isQuote(mark) { place += 1 }
    place = end(from: place) { letter in
      letter == "=" || letter == ":" || letter.isNewline || isQuote(letter)
    }
    return at(place) == "="
  }

  private mutating func readOption(_ word: String, end: Int) -> Int? {
    guard end > rejectedEnd else { return nil }
    let name = word.drop { $0 == "-" }
    if word.hasPrefix("--") {
      let isUser = ["user", "proxy-user"].contains(name)
      // The value of these is a file, unless it is a cookie.
      let value = letters[min(end + 1, letters.count)...].prefix(1_000)
      if ["cookies", "cookie-jar"].contains(name),
        !value.prefix(while: { !$0.isWhitespace }).contains("=")
      {
        return nil
      }
      guard isUser || SecretName.isSecret(name, in: .body) else { return nil }
      return addOptionValue(from: end, isUser: isUser)
    }
    guard word.hasPrefix("-u") || word.hasPrefix("-U") else { return nil }
    if word.count == 2 { return addOptionValue(from: end, isUser: true) }
    // `-ualice:password` too, in which the name ends at the colon.
    guard at(end) == ":" else { return nil }
    return add(end - word.count + 2..<self.end(from: end) { $0.isWhitespace || isQuote($0) })
  }

  /// Finds the texts of `NAME = 'X'` and `NAME = ($env.NAME ?? 'X')`, with or without `let`.
  private mutating func readAssignment(_ name: String, _ end: Int) -> Int? {
    let sign = afterWhitespace(end, isInLine: true)
    guard at(sign) == "=", SecretName.isSecret(name, in: .variable) else { return nil }
    let value = afterWhitespace(sign + 1, isInLine: true)
    guard at(value) == "(" else { return addText(at: value, of: name) }
    // The operands: not what is inside of other signs, such as the name of a member.
    var place = value + 1
    var depth = 1
    var previous: Character = "("
    while let letter = at(place), depth > 0 {
      if isQuote(letter) {
        if depth == 1, "(+?".contains(previous), let end = addText(at: place, of: name) {
          place = end
        } else {
          place = text(at: place).upperBound
        }
      } else if "([".contains(letter) {
        depth += 1
      } else if ")]".contains(letter) {
        depth -= 1
      }
      if !letter.isWhitespace { previous = letter }
      place += 1
    }
    return place
  }

  /// Adds a quoted text that is a secret of a variable, and returns its end.
  private mutating func addText(at place: Int, of name: String) -> Int? {
    guard let mark = at(place), isQuote(mark) else { return nil }
    let text = text(at: place)
    guard VariableText.isSecret(String(letters[text]), of: name) else { return nil }
    return add(text)
  }

  /// A quoted text, without its quotes.
  private func text(at place: Int) -> Range<Int> {
    letters[place] == "\""
      ? jsonText(from: place + 1, ["\""]) : place + 1..<end(from: place + 1) { $0 == "'" }
  }

  /// Whether a value is a percent-encoded address with a secret, as in
  /// `next=%2Fx%3Ftoken%3DX`.
  private func holdsEncodedSecret(_ value: Range<Int>) -> Bool {
    guard let text = Credentials.decodedAddress(String(letters[value])) else { return false }
    var scanner = SecretScanner(text, isDecoded: true)
    return !scanner.scan().isEmpty
  }

  // MARK: By shape

  /// `Bearer X` and `Basic X`; in prose a plain word follows.
  private mutating func readScheme(_ name: Range<Int>) -> Int? {
    let start = afterWhitespace(name.upperBound, isInLine: true)
    guard start > name.upperBound else { return nil }
    let value = start..<end(from: start) { $0.isWhitespace || isQuote($0) || ",;)}]".contains($0) }
    // An option after a path such as `/auth/basic`.
    guard !letters[value].starts(with: "--") else { return nil }
    let isProse = letters[value].allSatisfy { $0.isLetter && $0.isLowercase }
    let before = at(name.lowerBound - 1)
    // A text that is nothing else: `'Bearer abc'`, but not "Bearer tokens are explained here", nor
    // "Basic group", because base64 has more than lower-case letters.
    let isBearer = String(letters[name]).lowercased() == "bearer"
    let isWhole = isBearer && (at(value.upperBound).map(isQuote) ?? (name.lowerBound == 0))
    let isCredential =
      before.map { isQuote($0) ? isWhole || !isProse : $0 == ":" || $0 == "=" } ?? isWhole
    guard isCredential || value.count >= 6 && !isProse else { return nil }
    // `Basic realm="…"` is a server's challenge.
    let parameter = String(letters[value]).lowercased()
    guard !parameter.hasPrefix("realm="), !parameter.hasPrefix("charset=") else { return nil }
    // Only padding of base64 may follow an equals sign.
    let padding = letters[value].drop { $0 != "=" }
    guard padding.allSatisfy({ $0 == "=" }) else { return nil }
    return add(value)
  }

  /// `user:password@host`, with or without a scheme before it; with one, also `user@` alone.
  private mutating func readUsers() {
    var start = 0
    var hasScheme = false
    // The last `@` since the start.
    var sign: Int?
    for place in 0...letters.count {
      // In an address the name and the password may contain characters that end a word elsewhere.
      let isEnd =
        at(place).map {
          $0.isWhitespace || isQuote($0) || (hasScheme ? "/?#" : "/?#,;(<").contains($0)
        } ?? true
      if isEnd {
        if let sign { addUser(start..<sign, hasScheme: hasScheme) }
        sign = nil
        start = place + 1
        hasScheme = place >= 2 && letters[(place - 2)...].prefix(3).elementsEqual("://")
      } else if letters[place] == "@", place + 1 < letters.count,
        isNamePart(letters[place + 1]) || letters[place + 1] == "["
      {
        sign = place
      }
    }
  }

  private mutating func addUser(_ user: Range<Int>, hasScheme: Bool) {
    let letters = letters[user]
    let isAlone = !letters.contains(":") || letters.starts(with: "mailto:")
    if isPartOfSource(user) { return }
    // A single name such as 'git' or 'postgres' is not secret, a token in its place is.
    let isName = isAlone && letters.allSatisfy { $0.isLetter && $0.isLowercase }
    if hasScheme ? !isName : !isAlone { add(user) }
  }

  /// Whether an `@` stands in the name of a word that says where a secret is.
  private func isPartOfSource(_ user: Range<Int>) -> Bool {
    let start = letters[user].prefix(7)
    guard start.starts(with: "basic:") || start.starts(with: "digest:") else { return false }
    // No longer name is looked for, so that the time stays linear.
    let word = letters[user.lowerBound...].prefix(300).prefix { !$0.isWhitespace && !isQuote($0) }
    return SecretSource.isSource(String(word))
  }

  // MARK: Values

  private func fieldValue(from start: Int, after name: Int) -> Range<Int> {
    if let mark = at(start), isQuote(mark) {
      return start + 1..<end(from: start + 1) { $0 == mark }
    }
    // In quotes, a form may contain blanks.
    let mark = at(name - 1).flatMap { isQuote($0) ? $0 : nil }
    return
      start..<end(from: start) { letter in
        letter == "&" || isQuote(letter) || letter.isNewline || mark == nil && letter.isWhitespace
      }
  }

  private func headerValue(from colon: Int, quote: Character?) -> Range<Int> {
    let start = afterWhitespace(colon, isInLine: true)
    if let quote, isQuote(quote) { return start..<end(from: start) { $0 == quote } }
    if let mark = at(start), isQuote(mark) {
      return start + 1..<end(from: start + 1) { $0 == mark }
    }
    let line = start..<end(from: start) { isQuote($0) || $0.isNewline }
    // A word of a command line, which continues after it.
    guard start == colon else { return line }
    var end = wordEnd(from: start)
    if Credentials.schemes.contains(String(letters[start..<end]).lowercased()) { return line }
    // Cookies: `a=b; c=d`.
    while end > start, letters[end - 1] == ";" {
      let next = afterWhitespace(end, isInLine: true)
      let nextEnd = wordEnd(from: next)
      guard letters[next..<nextEnd].contains("=") else { break }
      end = nextEnd
    }
    return start..<end
  }

  private func wordEnd(from start: Int) -> Int {
    end(from: start) { isQuote($0) || $0.isWhitespace }
  }

  /// Adds the value of a secret JSON name: inside it, every text and number is secret.
  private mutating func addJSON(from colon: Int) -> Int {
    var place = afterWhitespace(colon)
    var depth = 0
    repeat {
      let opening = quote(at: place)
      if !opening.isEmpty {
        let text = jsonText(from: place + opening.count, opening)
        place = min(text.upperBound + opening.count, letters.count)
        let isName = depth > 0 && at(afterWhitespace(place)) == ":"
        if !isName { add(text) }
      } else {
        switch at(place) {
        case "[", "{":
          depth += 1
          place += 1
        case "]", "}":
          depth -= 1
          place += 1
        case ":", ",": place += 1
        default:
          let bare = place..<end(from: place) { ",]}'\"".contains($0) || $0.isWhitespace }
          let isLiteral = ["null", "true", "false"].contains(String(letters[bare]))
          if !isLiteral { add(bare) }
          place = bare.upperBound
        }
      }
      if depth > 0 { place = afterWhitespace(place) }
    } while depth > 0 && place < letters.count
    return place
  }

  /// The text up to its closing quote.
  private func jsonText(from start: Int, _ opening: [Character]) -> Range<Int> {
    var place = start
    while place < letters.count, quote(at: place) != opening {
      // An escaped quote is part of the text, unless the quotes themselves are escaped.
      place += opening.count == 1 && letters[place] == "\\" ? 2 : 1
    }
    return start..<min(place, letters.count)
  }

  /// Adds the value of an option, and returns its end.
  ///
  /// A value of `--user` without a colon is a name, which is not secret.
  private mutating func addOptionValue(from end: Int, isUser: Bool) -> Int? {
    var start = end
    let isJoined = at(start) == "="
    if isJoined {
      start += 1
    } else {
      start = afterWhitespace(start, isInLine: true)
      guard start > end else { return nil }
    }
    guard let first = at(start) else { return nil }
    if isQuote(first) {
      let value = start + 1..<self.end(from: start + 1) { $0 == first }
      return isUser && !letters[value].contains(":") ? nil : add(value)
    }
    let value =
      start..<self.end(from: start) { $0.isWhitespace || isQuote($0) || ";)}".contains($0) }
    // The usage of a command, or a list of options.
    let word = letters[value]
    let isUsage =
      !isJoined && (word.first == "-" || word.first == "…") || word.contains("]")
    guard !isUsage, !isUser || word.contains(":") else {
      // No other option starts in the same word.
      if isJoined { rejectedEnd = value.upperBound }
      return nil
    }
    return add(value)
  }

  // MARK: Letters

  /// Adds a value unless it is empty, masked or a variable; returns its end.
  @discardableResult
  private mutating func add(_ value: Range<Int>) -> Int {
    // A variable may follow the name of a scheme.
    var secret = value
    for scheme in ["bearer ", "basic ", "token "]
    where letters[value].prefix(scheme.count).map({ $0.lowercased() }) == scheme.map(String.init) {
      secret = value.lowerBound + scheme.count..<value.upperBound
    }
    if !secret.isEmpty, !isReference(secret), !letters[secret].allSatisfy({ $0 == "*" }) {
      found.append(value)
    }
    return value.upperBound
  }

  /// Whether it is only a variable, an expression in braces, or says where a secret is.
  private func isReference(_ value: Range<Int>) -> Bool {
    if SecretSource.isSource(String(letters[value])) { return true }
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

  /// The first position from a given one on without white space.
  ///
  /// In a line, a backslash at its end continues it.
  private func afterWhitespace(_ start: Int, isInLine: Bool = false) -> Int {
    var place = start
    while let letter = at(place) {
      if isInLine, letter == "\\", at(place + 1)?.isNewline == true {
        place += 2
      } else if letter.isWhitespace, !isInLine || !letter.isNewline {
        place += 1
      } else {
        break
      }
    }
    return place
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
}
