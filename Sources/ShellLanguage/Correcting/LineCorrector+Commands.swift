extension LineCorrector {
  /// Returns the lines in which the words of a statement are those of a command.
  func commands(_ words: [String]) -> [Candidate] {
    let words = words.flatMap(expansion)
    return catalog.paths.flatMap { path in
      matches(path, words).flatMap { match in
        guard let signature = catalog.signature(at: path),
          match.isCertain || (!match.rest.isEmpty && signature.isTelling)
        else { return [Candidate]() }
        var found = arguments(match.rest, of: signature)
        if match.cost >= Cost.foreign, match.rest.count == 1, variables.contains(match.rest[0]) {
          found.append(Words(words: ["$\(match.rest[0])"], cost: -1))
        }
        return found.compactMap { arguments -> Candidate? in
          guard isMeant(arguments.words, of: signature, without: match.rest, in: words),
            namesOperations(arguments.words, of: signature)
          else { return nil }
          return Candidate(
            line: (path + arguments.words).joined(separator: " "),
            cost: match.cost + arguments.cost)
        }
      }
    }
  }

  /// Whether a command can be meant with these arguments only.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - signature: The command.
  ///   - rest: The words that are written for them.
  ///   - words: All words that are written.
  /// - Returns: False where what is left out would say that something else is meant.
  private func isMeant(
    _ arguments: [String], of signature: CommandSignature, without rest: [String],
    in words: [String]
  ) -> Bool {
    let path = signature.path
    guard arguments.isEmpty, rest.contains(where: { !$0.hasPrefix("-") }) else { return true }
    // `events of` is not `events`.
    if words.starts(with: path) { return rest.allSatisfy { $0 == "all" || $0 == "*" } }
    // `history clear` is not `clear`.
    if signature.path.contains(where: catalog.isDeliberate), let first = words.first,
      first != path.first,
      catalog.hasCommand(first)
    {
      return false
    }
    // `end all` is not `endpoint`.
    let lowered = words.map { $0.lowercased() }
    return path.allSatisfy { lowered.contains($0.lowercased()) }
      || lowered.contains { catalog.meanings(of: $0).contains(signature.fullName) }
  }

  /// Whether what stands in an operation's place can be one: `true` or `5s` cannot.
  private func namesOperations(_ arguments: [String], of signature: CommandSignature) -> Bool {
    guard let positional = signature.positionals.first,
      positional.kind.namespace == OperationSelection.namespace
    else { return true }
    let places = arguments.prefix { !$0.hasPrefix("-") }
    let names = signature.positionals.count == 1 ? places : places.prefix(1)
    return names.allSatisfy { word in
      if isName(word) || positional.kind.offers(word) { return true }
      guard let value = LiteralReader.value(of: word) else { return true }
      if case .integer = value { return true }
      return false
    }
  }

  /// Some words, and what it costs to have them in place of those that are written.
  struct Words {
    var words: [String]
    var cost: Int
  }

  /// The words that one stands for, as `addDependency` does for `deps` and `on`.
  private func expansion(_ word: String) -> [String] {
    for meaning in catalog.meanings(of: word.lowercased()) where meaning.contains(" ") {
      let words = meaning.split(separator: " ").map { String($0) }
      if catalog.signature(at: words) == nil { return words }
    }
    return [word]
  }

  // MARK: The words of the command

  /// What is left of a statement without the words that name a command.
  private struct Match {
    let rest: [String]
    let cost: Int
    /// Whether it is the command that was meant, whatever its arguments are.
    let isCertain: Bool
  }

  /// The ways in which some of the words name a command.
  private func matches(_ path: [String], _ words: [String]) -> [Match] {
    guard let last = path.last else { return [] }
    let fullName = path.joined(separator: " ")
    return words.indices.compactMap { index in
      let word = words[index]
      var used = [index]
      var isCertain = true
      guard var cost = cost(of: word, as: last, in: words, at: index, path) else {
        guard let cost = costOfOtherName(word, fullName, in: words, at: index) else { return nil }
        for group in path.dropLast() {
          if let place = words.firstIndex(of: group), place != index { used.append(place) }
        }
        return Match(
          rest: words.indices.filter { !used.contains($0) }.map { words[$0] },
          cost: cost + (used.contains(0) ? 0 : Cost.order),
          isCertain: cost == Cost.foreign || used.count > 1)
      }
      if cost > Cost.foreign,
        let other = costOfOtherName(word, fullName, in: words, at: index), other < cost
      {
        cost = other
      }
      for group in path.dropLast() {
        let near = words.indices.compactMap { place in
          used.contains(place)
            ? nil
            : self.cost(of: words[place], as: group, in: words, at: place, path).map { (place, $0) }
        }.min { $0.1 < $1.1 }
        if let near {
          used.append(near.0)
          cost += near.1
        } else {
          // Only the word itself says which group is meant, and not where that ends anything.
          guard cost == 0, !path.contains(where: catalog.isDeliberate) else { return nil }
          cost += Cost.impliedGroup
          isCertain = false
        }
      }
      if cost >= Cost.spelling, used.count == words.count {
        // A single misspelt word is not enough to end the session.
        guard catalog.signature(at: path)?.is(.endsScript) != true else { return nil }
      }
      if used.sorted() != Array(0..<used.count) || used.first != used.count - 1 {
        cost += Cost.order
      }
      return Match(
        rest: words.indices.filter { !used.contains($0) }.map { words[$0] }, cost: cost,
        isCertain: isCertain && cost < Cost.spelling || used.count == words.count)
    }
  }

  /// What it costs to take a word for one of a command's.
  ///
  /// What names something, or begins the statement as a command, is meant as it is written. Further
  /// back stand arguments: there only the word itself is one of a command's.
  private func cost(
    of word: String, as wanted: String, in words: [String], at index: Int, _ path: [String]
  ) -> Int? {
    let word =
      index == 1 && word.hasPrefix("--") && path.count > 1 ? String(word.dropFirst(2)) : word
    if word == wanted { return 0 }
    let lowered = word.lowercased()
    guard !isName(word), index < 2 else { return nil }
    let isFirst = index == 0 || path.count > 1 && words[0] == path[0]
    guard isFirst || !catalog.hasCommand(words[0]), !(index == 0 && catalog.hasCommand(word)) else {
      return nil
    }
    if lowered == wanted.lowercased() { return Cost.letterCase }
    if lowered.count > 1, wanted.hasPrefix(lowered) { return Cost.prefix }
    guard let count = Spelling.closeness(of: word, to: wanted),
      count <= 1 || !catalog.isDeliberate(wanted), catalog.searchHelp(for: word) == nil
    else { return nil }
    return Cost.spelling + count
  }

  /// What it costs to take a word for the name of a command that is called so elsewhere.
  private func costOfOtherName(
    _ word: String, _ fullName: String, in words: [String], at index: Int
  ) -> Int? {
    let lowered = word.lowercased()
    guard !isName(word),
      index == 0 || !catalog.hasCommand(words[0]) || catalog.canBeLeftOut(words[0])
    else { return nil }
    if catalog.meanings(of: lowered).contains(fullName) { return Cost.foreign }
    // Words about a subject only help where others say what is meant, and no command is named.
    guard words.count > 1, !catalog.hasCommand(words[0]) else { return nil }
    let path = fullName.split(separator: " ").map { String($0) }
    guard !path.contains(where: catalog.isDeliberate) else { return nil }
    return catalog.signature(at: path)?.searchTerms.contains(lowered) == true
      ? Cost.searchTerm : nil
  }
}

extension CommandSignature {
  /// Whether its arguments tell whether it is meant: others take any word.
  fileprivate var isTelling: Bool {
    positionals.first.map { positional in
      switch positional.kind {
      case .string, .any, .file, .newName, .expression, .block, .command: false
      default: true
      }
    } ?? false
  }
}
