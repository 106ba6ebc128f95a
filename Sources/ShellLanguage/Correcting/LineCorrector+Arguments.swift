extension LineCorrector {
  /// How many ways to correct single words are combined.
  private static let mostCombinations = 16

  /// Returns the ways in which words can be arguments of a command, corrected or in another order.
  func arguments(_ words: [String], of signature: CommandSignature) -> [Words] {
    guard words.count <= 8 else { return [] }
    var combined = [Words(words: [], cost: 0)]
    for (index, word) in words.enumerated() {
      let isValue = index > 0 && words[index - 1].hasPrefix("-")
      let choices = corrections(
        of: word, isLast: index + 1 == words.count,
        among: signature.offeredWords(forOptions: isValue), in: signature)
      combined = combined.flatMap { start in
        choices.map { Words(words: start.words + $0.words, cost: start.cost + $0.cost) }
      }
      combined = Array(combined.sorted { $0.cost < $1.cost }.prefix(Self.mostCombinations))
    }
    return combined.flatMap { combination in
      orders(of: combination, signature) + joined(combination)
        + expressions(combination, signature)
    }
  }

  /// The words that one may be meant as, itself included.
  private func corrections(
    of word: String, isLast: Bool, among offered: [String], in signature: CommandSignature
  ) -> [Words] {
    if let first = word.first, "'\"$({".contains(first) { return [Words(words: [word], cost: 0)] }
    if word.contains(/^--?[A-Za-z]/) { return corrections(ofOption: word, in: signature) }
    var found: [Words] = []
    func add(_ words: [String], _ cost: Int) { found.append(Words(words: words, cost: cost)) }
    let isMeant = offered.contains(word) || isName(word)
    let canBeLeftOut = catalog.canBeLeftOut(word)
    add([word], canBeLeftOut && !isMeant ? Cost.dropped + 2 : 0)
    if canBeLeftOut { add([], Cost.dropped) }
    if let name = nameIgnoringCase(word), name != word { add([name], Cost.letterCase) }
    let meanings = catalog.meanings(of: word.lowercased())
    if !isMeant {
      // `events of` is not `events on`.
      let isBeginning = isLast && offered.contains { $0.hasPrefix(word) }
      for meaning in meanings where !isBeginning && offered.contains(meaning) {
        add([meaning], Cost.foreign)
      }
      for (choice, cost) in Self.near(word, among: offered) { add([choice], cost) }
      if let duration = Self.duration(word) { add([duration], Cost.word) }
    }
    if !isLast {
      for name in [word] + meanings where signature.option(named: name) != nil {
        add(["--\(name)"], name == word ? Cost.word : Cost.foreign)
      }
    }
    return found
  }

  /// A duration with another unit or a decimal comma: `5sec`, `1,5s`.
  private static func duration(_ word: String) -> String? {
    guard
      let match = word.lowercased().wholeMatch(
        of:
          /(\d+)(?:[.,](\d+))?(ms|s|m|h|(?:milli|m)secs?|milliseconds?|millis|secs?|seconds?|mins?|minutes?|hours?|hrs?)/
      )
    else { return nil }
    let name = match.3
    let unit = name.hasPrefix("ms") || name.hasPrefix("milli") ? "ms" : String(name.prefix(1))
    return match.1 + (match.2.map { ".\($0)" } ?? "") + unit
  }

  /// The options that one that a command does not have may be meant as; otherwise a word without
  /// the dashes, or nothing.
  private func corrections(ofOption word: String, in signature: CommandSignature) -> [Words] {
    let body = word.drop { $0 == "-" }
    let name = String(body.prefix { $0 != "=" })
    let value = String(body.dropFirst(name.count))
    let isKnown =
      word.hasPrefix("--")
      ? signature.option(named: name) != nil
      : name.count == 1 && name.first.flatMap(signature.option(short:)) != nil
    if isKnown { return [Words(words: [word], cost: 0)] }
    let names = signature.options.map(\.name)
    var found = Self.near(name, among: names, fromFirstLetter: true)
    for meaning in catalog.meanings(of: name.lowercased()) where names.contains(meaning) {
      found.append((meaning, Cost.foreign))
    }
    var words = found.map { Words(words: ["--\($0.0)\(value)"], cost: $0.1) }
    guard value.isEmpty else { return words }
    let offered = signature.offeredWords(forOptions: false)
    if offered.contains(name) {
      words.append(Words(words: [name], cost: Cost.word))
    }
    if catalog.canBeLeftOut(word) { words.append(Words(words: [], cost: Cost.dropped)) }
    // `--state ready`, where the command takes the word `ready` itself.
    if !offered.isEmpty, name.count > 1, found.isEmpty,
      !signature.path.contains(where: catalog.isDeliberate)
    {
      words.append(Words(words: [], cost: Cost.searchTerm))
    }
    return words
  }

  /// The words that one is a part of, or a misspelling of, and the cost of it.
  private static func near(
    _ word: String, among words: [String], fromFirstLetter: Bool = false
  ) -> [(String, Int)] {
    let lowered = word.lowercased()
    return words.compactMap { other in
      let name = other.lowercased()
      if name == lowered { return (other, Cost.letterCase) }
      if lowered.count > 1 || fromFirstLetter, name.hasPrefix(lowered) {
        return (other, Cost.prefix)
      }
      if lowered.count > 1, name.split(separator: "-").contains(lowered[...]) {
        return (other, Cost.prefix + 2)
      }
      return Spelling.closeness(of: word, to: other).map { (other, Cost.spelling + $0) }
    }
  }

  /// The orders of the arguments, the written one first; options with their values and blocks come
  /// last.
  private func orders(of words: Words, _ signature: CommandSignature) -> [Words] {
    guard !signature.is(.passesOptionsOn) else { return [words] }
    var (arguments, options, blocks) = ([String](), [String](), [String]())
    var index = 0
    while index < words.words.count {
      let word = words.words[index]
      index += 1
      if word.hasPrefix("--"), let option = signature.option(named: String(word.dropFirst(2))) {
        options.append(word)
        if option.kind != nil, index < words.words.count {
          options.append(words.words[index])
          index += 1
        }
      } else if word.hasPrefix("{") {
        blocks.append(word)
      } else {
        arguments.append(word)
      }
    }
    guard (2...4).contains(arguments.count) else {
      return [Words(words: arguments + options + blocks, cost: words.cost)]
    }
    return Self.permutations(of: Array(arguments.indices)).map { order in
      // The fewer pairs change their order, the likelier.
      let swaps = order.indices.reduce(0) { sum, left in
        sum + order[left...].count { $0 < order[left] }
      }
      return Words(
        words: order.map { arguments[$0] } + options + blocks,
        cost: words.cost + (swaps == 0 ? 0 : Cost.order + 2 * swaps))
    }
  }

  private static func permutations(of places: [Int]) -> [[Int]] {
    guard places.count > 1 else { return [places] }
    return places.indices.flatMap { index in
      var rest = places
      let first = rest.remove(at: index)
      return permutations(of: rest).map { [first] + $0 }
    }
  }

  /// `5 s` and `q 1` with one blank too many.
  private func joined(_ words: Words) -> [Words] {
    words.words.indices.dropLast().compactMap { index in
      let pair = words.words[index...(index + 1)]
      guard pair.allSatisfy({ $0.allSatisfy { $0.isLetter || $0.isNumber } }) else { return nil }
      let whole = pair.joined()
      var all = words.words
      all.replaceSubrange(index...(index + 1), with: [Self.duration(whole) ?? whole])
      return Words(words: all, cost: words.cost + Cost.joined)
    }
  }

  /// The expression after `where` without its parentheses.
  private func expressions(_ words: Words, _ signature: CommandSignature) -> [Words] {
    guard
      let place = words.words.firstIndex(where: { word in
        signature.option(named: String(word.drop { $0 == "-" }))?.kind?.isExpression == true
      }), place + 1 < words.words.count
    else { return [] }
    let name = words.words[place].drop { $0 == "-" }
    let expression = words.words[(place + 1)...].joined(separator: " ")
    return [
      Words(
        words: words.words[..<place] + ["--\(name)", "(\(expression))"],
        cost: words.cost + Cost.word)
    ]
  }
}

extension CommandSignature {
  /// The words that stand for themselves as arguments, or as values of options: choices, and what
  /// names may be instead.
  fileprivate func offeredWords(forOptions: Bool) -> [String] {
    forOptions
      ? options.compactMap(\.kind).flatMap(\.meantWords)
      : positionals.compactMap(\.keyword) + positionals.map(\.kind).flatMap(\.meantWords)
  }
}

extension ArgumentKind {
  /// The words that a misspelled argument may have been meant as.
  fileprivate var meantWords: [String] {
    switch self {
    case .oneOf(let kinds): kinds.flatMap(\.meantWords)
    case .name(OperationSelection.namespace): ["all", "last"]
    default: offeredWords
    }
  }
}
