extension ArgumentBinder {
  /// Turns an item into an argument of the kind that is asked for.
  func bind(_ item: Item, to slot: Slot, into call: inout CommandCall) throws {
    // Something is given for it, even if it turns out to be wrong.
    call.mention(slot.name)
    switch item.content {
    case .unknown, .unknownValue: keep(.unknown, item, for: slot, into: &call)
    case .nothing: if !slot.repeats { refuseNothing(item, for: slot, into: &call) }
    case .block(let block):
      guard slot.kind.takesBlock else {
        return refuse(
          item, for: slot,
          problem(
            .unexpectedBlock, "'\(slot.written)' cannot be a block",
            SourceRange(item.range.lower, item.range.lower + 1)), into: &call)
      }
      keep(.block(block), item, for: slot, into: &call)
    case .expression(let expression):
      if slot.kind.isExpression {
        return keep(.expression(expression), item, for: slot, into: &call)
      }
      var value: Value?
      if let context {
        value = try Evaluator(context: context, source: source).evaluate(expression)
      } else if case .literal(let known) = expression.kind {
        value = known
      }
      guard let value else { return keep(.unknown, item, for: slot, into: &call) }
      if slot.repeats, case .list(let elements) = value {
        for element in elements { accept(element, item, for: slot, into: &call) }
      } else if case .list(let elements) = value, elements.isEmpty, slot.kind != .any {
        refuseNothing(item, for: slot, into: &call)
      } else {
        accept(value, item, for: slot, into: &call)
      }
    case .value(let value, let word):
      if slot.isOption, value.hasNull { return refuseNull(value, item, for: slot, into: &call) }
      if slot.kind.isExpression {
        readExpression(value.text, word, item, for: slot, into: &call)
      } else {
        accept(value, item, for: slot, into: &call)
      }
    }
  }

  private func keep(
    _ content: BoundArgument.Content, _ item: Item, for slot: Slot, into call: inout CommandCall
  ) {
    call.append(
      BoundArgument(content, range: item.range, text: item.text(in: source)), for: slot.name)
  }

  private func accept(
    _ value: Value, _ item: Item, for slot: Slot, into call: inout CommandCall
  ) {
    if slot.isOption, value.hasNull { return refuseNull(value, item, for: slot, into: &call) }
    switch slot.kind.accepting(value) {
    case .success(let converted): keep(.value(converted), item, for: slot, into: &call)
    case .failure(let mismatch):
      let help =
        mismatch.page.is(.wrongKind)
        ? helpForWrongKind(slot, call) : helpForMissingWord(item, slot, call)
      let positional = slot.isOption ? nil : signature.positional(named: slot.name)
      let name =
        positional.map { $0.isShownByKind ? "the \($0.name)" : $0.placeholder }
        ?? "'\(slot.written)'"
      refuse(
        item, for: slot,
        problem(
          mismatch.page, "\(name) must be \(mismatch.wanted), found '\(mismatch.found)'",
          item.range, help: mismatch.help ?? help), into: &call)
    }
  }

  private func refuse(
    _ item: Item, for slot: Slot, _ problem: Diagnostic, into call: inout CommandCall
  ) {
    call.problems.append(problem)
    keep(.unknown, item, for: slot, into: &call)
  }

  /// Refuses an empty list where one value is needed.
  private func refuseNothing(_ item: Item, for slot: Slot, into call: inout CommandCall) {
    refuse(
      item, for: slot,
      problem(
        slot.isOption ? .missingValue : .missingArgument,
        "'\(slot.isOption ? slot.written : signature.fullName)' needs \(slot.kind.description), but "
          + "\(Diagnostic.shown(item.text(in: source))) is an empty list", item.range,
        help: "usage: \(signature.briefUsage)"), into: &call)
  }

  private func refuseNull(
    _ value: Value, _ item: Item, for slot: Slot, into call: inout CommandCall
  ) {
    let what = if case .list = value { "holds null" } else { "is null" }
    let written = item.text(in: source)
    refuse(
      item, for: slot,
      problem(
        .noValue, "'\(slot.written)' needs a value, but \(Diagnostic.shown(written)) \(what)",
        item.range, help: "leave the option out, or give the value a default: (… ?? …)"),
      into: &call)
  }

  private func helpForWrongKind(_ slot: Slot, _ call: CommandCall) -> String {
    // Where one of those before it would fit, they only stand in the wrong order.
    let fits = { (other: BoundArgument) in
      (try? slot.kind.accepting(.string(other.text)).get()) != nil
    }
    if !slot.isOption, others(than: slot, call).contains(where: fits) {
      return "the order is: \(signature.briefUsage)"
    }
    return "'help \(signature.fullName)' says what it takes"
  }

  /// What is given so far for the other positional arguments.
  private func others(than slot: Slot, _ call: CommandCall) -> [BoundArgument] {
    signature.positionals.flatMap { $0.name == slot.name ? [] : call.given($0.name) ?? [] }
      .filter { !$0.isUnknown }
  }

  /// A word that was left out: `deps a b` for `deps a on b`.
  private func helpForMissingWord(_ item: Item, _ slot: Slot, _ call: CommandCall) -> String? {
    guard !slot.isOption, case .choice(let words) = slot.kind, words.count <= 3,
      let place = signature.positionals.firstIndex(where: { $0.name == slot.name }),
      place + 1 < signature.positionals.count, signature.positionals[place + 1].kind != .block
    else { return nil }
    let start = ([signature.fullName] + others(than: slot, call).map(\.text))
      .joined(separator: " ")
    let calls = words.map { "'\(start) \($0) \(item.text(in: source))'" }
    return "a word is missing: " + calls.joined(separator: " or ")
  }

  /// A word where an expression is wanted: its text is read as one.
  private func readExpression(
    _ content: String, _ word: Word?, _ item: Item, for slot: Slot, into call: inout CommandCall
  ) {
    do throws(Diagnostic) {
      let expression: Expression
      if let range = word?.verbatimRange(in: source) {
        expression = try Parser.parseExpression(in: source, range)
      } else {
        let inner = SourceText(name: "\(source.name):expression", text: content)
        let parsed = try Parser.parseExpression(inner)
        expression = Expression(parsed.kind, parsed.range, depth: parsed.depth, source: inner)
      }
      call.append(
        BoundArgument(.expression(expression), range: item.range, text: content), for: slot.name)
    } catch {
      refuse(item, for: slot, error, into: &call)
    }
  }
}

/// Why a value is not of a kind.
package struct KindMismatch: Error {
  let page: ErrorPage
  let wanted: String
  let found: String
  /// What a number that is too large must be; nil for another mismatch.
  let limit: String?
  var help: String?
}

extension ArgumentKind {
  /// Whether a word can be a new name: a letter, then letters, digits, `-` and `_`.
  private static func isName(_ text: String) -> Bool {
    guard let byte = text.utf8.first else { return false }
    // A property of a character is looked up; nearly all names can do without.
    if byte.isLetter, text.utf8.allSatisfy({ $0.isNamePart || $0 == UInt8(ascii: "-") }) {
      return true
    }
    return text.first?.isLetter == true
      && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }

  /// Returns the value as this kind, or why it is none.
  package func accepting(_ value: Value) -> Result<Value, KindMismatch> {
    switch self {
    case .any: return .success(value)
    case .string:
      if value.hasNull { return mismatch(value.text) }
      return .success(.string(value.text))
    case .name, .file:
      if case .object = value, case .name = self { return .success(value) }
      let text = value.text
      if value.hasNull { return mismatch(text) }
      if case .file = self, text.utf8.contains(0) {
        return mismatch(text, help: "a path can't hold a zero byte")
      }
      return text.isEmpty ? mismatch(text, help: "it is empty") : .success(.string(text))
    case .newName(let reserved):
      let text = value.text
      if value.hasNull { return mismatch(text, .badName) }
      if reserved.contains(text) {
        return mismatch(
          text, .badName, help: "reserved: \(reserved.joined(separator: ", "))",
          limit: "a name that is not reserved")
      }
      guard Self.isName(text) else {
        return mismatch(text, .badName)
      }
      return .success(.string(text))
    case .choice(let words):
      let text = value.text
      if words.contains(text) { return .success(.string(text)) }
      return mismatch(text, .unknownChoice, help: Spelling.help(for: text, among: words))
    case .word(_, let words):
      let text = value.text
      if words.contains(text) { return .success(.string(text)) }
      // The message says only what the words are for.
      let help =
        Spelling.help(for: text, among: words)
        ?? "one of: \(words.prefix(40).joined(separator: ", "))"
        + (words.count > 40 ? " and \(words.count - 40) more" : "")
      return mismatch(text, .unknownChoice, help: help)
    case .url:
      let text = value.text
      return Self.isAddress(text) || Self.isPath(text)
        ? .success(.string(text))
        : Self.isOfOtherProtocol(text)
          ? mismatch(text, .unsupportedProtocol)
          : mismatch(text, .badURL, help: Self.faultOfAddress(text))
    case .oneOf(let kinds): return acceptingFirst(of: kinds, value)
    case .integer, .real, .boolean, .duration, .size, .percent: return acceptingAmount(value)
    case .expression, .condition, .block, .command: return mismatch(value.text)
    }
  }

  private func acceptingFirst(
    of kinds: [ArgumentKind], _ value: Value
  ) -> Result<Value, KindMismatch> {
    var failures: [KindMismatch] = []
    for kind in kinds {
      // A number that is out of range is not a name.
      if case .name = kind, failures.contains(where: { $0.page.is(.outOfRange) }) { break }
      switch kind.accepting(value) {
      case .success(let accepted): return .success(accepted)
      case .failure(let failure): failures.append(failure)
      }
    }
    let known =
      failures.first { $0.page.is(.outOfRange) }
      ?? failures.first { $0.page.is(.badURL, .unsupportedProtocol) }
      ?? failures.first { $0.page.is(.wrongKind) }
    let text = value.text
    return mismatch(
      text, known?.page ?? .wrongKind,
      help: Spelling.help(for: text, among: choices) ?? known?.help ?? failures.last?.help,
      limit: known?.limit)
  }

  /// Returns the value as a number or the like, which a text may be written as.
  private func acceptingAmount(_ value: Value) -> Result<Value, KindMismatch> {
    let text = value.text
    var literal = value.unspelled
    if case .string(let text) = value, let read = LiteralReader.value(of: text) { literal = read }
    switch (self, literal) {
    case (.integer(let minimum, let maximum), .integer(let number)):
      if let minimum, number < minimum { return mismatch(text, .outOfRange) }
      if let maximum, number > maximum { return mismatch(text, .outOfRange) }
      return .success(.integer(number))
    case (.real, .integer), (.real, .real), (.boolean, .boolean): return .success(literal)
    case (.duration, .duration(let duration)):
      return duration < .zero ? mismatch(text, .outOfRange) : .success(literal)
    case (.duration, .integer(let seconds)):
      guard seconds <= Self.mostSeconds else { return tooLarge(text) }
      guard seconds >= 0 else { return mismatch(text, .outOfRange) }
      return .success(.duration(.seconds(seconds)))
    case (.duration, .real(let seconds)):
      guard seconds <= Double(Self.mostSeconds) else { return tooLarge(text) }
      guard seconds >= 0 else { return mismatch(text, .outOfRange) }
      return .success(.duration(.nanoseconds(Int64((seconds * 1e9).rounded()))))
    case (.size, .size(let count)), (.size, .integer(let count)):
      return count < 0 ? mismatch(text, .outOfRange) : .success(.size(count))
    case (.percent, .percent(let share)), (.percent, .real(let share)):
      guard share >= 0, share <= 100 else { return mismatch(text, .outOfRange) }
      return .success(.percent(share))
    case (.percent, .integer(let share)):
      guard share >= 0, share <= 100 else { return mismatch(text, .outOfRange) }
      return .success(.percent(Double(share)))
    case (_, .string(let written)):
      if case .outOfRange = LiteralReader.read(written), holds(NumberKind(ofLiteral: written)) {
        return written.hasPrefix("-") ? mismatch(text, .outOfRange) : tooLarge(text)
      }
      return mismatch(text)
    default: return mismatch(text)
    }
  }

  /// The longest duration, in whole seconds.
  private static let mostSeconds = Int64.max / 1_000_000_000

  /// Whether a number of a kind may be written for it.
  private func holds(_ number: NumberKind) -> Bool {
    switch (self, number) {
    case (.integer, .integer), (.size, .size), (.size, .integer): true
    case (.duration, let number): number != .size
    case (.real, let number), (.percent, let number): number == .integer || number == .real
    default: false
    }
  }

  /// The error for a number that is larger than any of this kind.
  private func tooLarge(_ text: String) -> Result<Value, KindMismatch> {
    let limit: String? =
      switch self {
      case .integer(_, nil): "an integer of at most \(NumberKind.integer.greatest)"
      case .duration: "a duration of at most \(NumberKind.duration.greatest)"
      case .size: "a size of at most \(NumberKind.size.greatest)"
      case .real: "a number of at most \(NumberKind.real.greatest)"
      default: nil
      }
    return mismatch(text, .outOfRange, limit: limit)
  }

  private func mismatch(
    _ text: String, _ page: ErrorPage = .wrongKind, help: String? = nil, limit: String? = nil
  ) -> Result<Value, KindMismatch> {
    let shown = text.count > 40 ? text.prefix(40) + "…" : text[...]
    let allowed = page.is(.outOfRange) ? bounds.map { "allowed: \($0)" } : nil
    return .failure(
      KindMismatch(
        page: page, wanted: limit ?? description, found: String(shown), limit: limit,
        help: help ?? allowed))
  }

  /// The allowed range of values as text; nil if the values have no range.
  private var bounds: String? {
    switch self {
    case .integer(let minimum?, let maximum?): "\(minimum) to \(maximum)"
    case .integer(let minimum?, nil): "\(minimum) or more"
    case .integer(nil, let maximum?): "\(maximum) or less"
    case .duration: "0s to \(NumberKind.duration.greatest)"
    case .size: "0B to \(NumberKind.size.greatest)"
    case .percent: "0% to 100%"
    default: nil
    }
  }

  /// Whether a text is a path of whatever service the host is set to.
  static func isPath(_ text: String) -> Bool {
    text.hasPrefix("/") && !text.hasPrefix("//")
      && !text.unicodeScalars.contains { $0.value <= 0x20 || $0.value == 0x7F }
  }

  /// Whether a text is an address of another protocol than can be asked, such as `ftp://host/`.
  private static func isOfOtherProtocol(_ text: String) -> Bool {
    guard let end = text.firstRange(of: "://"), let first = text.utf8.first else { return false }
    let scheme = text[..<end.lowerBound].lowercased()
    return (UInt8(ascii: "A")...UInt8(ascii: "z")).contains(first)
      && !["http", "https"].contains(scheme)
      && scheme.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0)
      }
  }

  /// Whether a text is an `http` or `https` address with a host and, if any, a possible port.
  static func isAddress(_ text: String) -> Bool {
    let lowered = text.prefix(8).lowercased()
    let rest: Substring
    if lowered.hasPrefix("http://") {
      rest = text.dropFirst(7)
    } else if lowered.hasPrefix("https://") {
      rest = text.dropFirst(8)
    } else {
      return false
    }
    if text.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) {
      return false
    }
    var authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let at = authority.lastIndex(of: "@") {
      authority = authority[authority.index(after: at)...]
    }
    var port: Substring?
    if authority.first == "[" {
      guard let close = authority.firstIndex(of: "]") else { return false }
      let tail = authority[authority.index(after: close)...]
      if !tail.isEmpty {
        guard tail.first == ":" else { return false }
        port = tail.dropFirst()
      }
      authority = authority[...close]
      return authority.count >= 4 && isPort(port)
        && authority.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    } else if let colon = authority.lastIndex(of: ":") {
      port = authority[authority.index(after: colon)...]
      authority = authority[..<colon]
    }
    guard isPort(port) else { return false }
    return !authority.isEmpty && !authority.contains { "<>\"\\^`{}|:".contains($0) }
  }

  /// Which part of an address or path is wrong, where that is plain.
  private static func faultOfAddress(_ text: String) -> String? {
    if text.contains(" ") { return "a space in it is written %20" }
    guard let end = text.firstRange(of: "://")?.upperBound else { return nil }
    let authority = text[end...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    // A user name and password before the host are not repeated.
    let host = authority.split(separator: "@").last ?? ""
    if host.hasPrefix("["), host.contains("%") {
      return "an IPv6 address can't name a zone here: leave out '%' and all between it and ']'"
    }
    guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else { return nil }
    let port = host[host.index(after: colon)...]
    return isPort(port) ? nil : "'\(port)' is not a port from 1 to 65535"
  }

  /// Whether a port is possible; none at all is.
  private static func isPort(_ text: Substring?) -> Bool {
    guard let text, !text.isEmpty else { return true }
    guard text.utf8.allSatisfy(\.isDigit), let number = Int(text) else { return false }
    return number <= 65_535
  }
}

extension ErrorPage {
  static let wrongKind = ErrorPage(
    "wrong-kind", "An argument is of the wrong kind",
    "A duration is 200ms, 2s or 1m; a size 64kB; a percentage 20%; a boolean on or off.",
    help: "write a value of the kind that the message names", wrong: "delay soon", right: "delay 2s"
  )

  static let outOfRange = ErrorPage(
    "out-of-range", "A number is too small or too large",
    "The message says what is allowed. Elements are counted from 0, or from the end with -1.",
    wrong: "delay 1s --count 0", right: "delay 1s --count 1")

  package static let unknownChoice = ErrorPage(
    "unknown-choice", "The argument is not one of the allowed words",
    "The message lists them, and completion offers them.",
    help: "choose one of the words that the message lists", wrong: "delay 1s --priority hihg",
    right: "delay 1s --priority high")

  static let badURL = ErrorPage(
    "bad-url", "The URL is not valid",
    "An address begins with http:// or https:// and has a host; a path of the service in use "
      + "begins with one slash.",
    help: "write it as http://example.org/path, or /path for the service in use",
    wrong: "get example.org", right: "get http://example.org/")

  static let unsupportedProtocol = ErrorPage(
    "unsupported-protocol", "The address is of a protocol that is not supported",
    "An address begins with http:// or https://; redirects elsewhere are not followed.",
    help: "use http:// or https://", wrong: "get ftp://example.org/",
    right: "get http://example.org/")
}
