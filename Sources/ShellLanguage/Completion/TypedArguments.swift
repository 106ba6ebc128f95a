/// The words after the name of a command, told apart while they are being typed.
struct TypedArguments {
  /// Those that are arguments by position.
  private(set) var positionals: [CompletionScanner.Word] = []
  /// The indices of the names of options.
  private(set) var optionNames: [Int] = []
  /// The index of the first word of a command that is an argument itself; what follows is its.
  private(set) var command: Int?
  /// The option that the last word is the name of, if it takes a value in a word of its own.
  private(set) var pending: CommandSignature.Option?
  /// Whether no word after these is an option.
  private(set) var optionsEnded = false

  init(_ words: [CompletionScanner.Word], of signature: CommandSignature) {
    let position = signature.positionals.firstIndex { $0.kind == .command }
    for (index, word) in words.enumerated() {
      if pending != nil {
        pending = nil
      } else if !optionsEnded, word.isOption {
        optionNames.append(index)
        if word.text == "--" { optionsEnded = true }
        let option = signature.option(typed: word.text)
        if option?.kind != nil, !word.text.contains("=") { pending = option }
      } else if positionals.count == position {
        command = index
        return
      } else {
        positionals.append(word)
        if signature.is(.passesOptionsOn) { optionsEnded = true }
      }
    }
  }
}

extension CommandSignature {
  /// Returns the option that a word names, perhaps with a value after an equals sign.
  func option(typed text: String) -> Option? {
    let name = text.prefix { $0 != "=" }
    if name.hasPrefix("--") { return option(named: String(name.dropFirst(2))) }
    return name.dropFirst().first.flatMap { option(short: $0) }
  }
}

extension CommandCatalog {
  /// Returns the first of several words, as far as they lead to a command.
  func knownStart(of words: [String]) -> [String] {
    var known: [String] = []
    for word in words {
      known.append(word)
      if !hasWords(known) { return known.dropLast() }
    }
    return known
  }
}
