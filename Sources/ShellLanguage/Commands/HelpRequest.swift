/// A statement such as `queue pause --help`, which means `help queue pause`.
struct HelpRequest {
  /// The options that ask for help, as other programs have them.
  static let options = ["--help", "-h"]

  /// The command that shows help.
  let match: CommandCatalog.Match
  /// What it shows the help of.
  let words: ArraySlice<Argument>

  /// Nil if the arguments are anything but the words of a command and one of the options, and if
  /// the catalogue has no command for it.
  init?(_ arguments: [Argument], _ catalog: CommandCatalog) {
    guard let option = arguments.last?.bareText, Self.options.contains(option),
      let help = catalog.signature(at: ["help"])
    else { return nil }
    let words = arguments.dropLast()
    switch catalog.lookup(Array(words)) {
    case .command(let signature, words.count):
      // An option of its own comes first.
      guard signature.option(named: String(option.drop { $0 == "-" })) == nil else { return nil }
    case .missingSubcommand(words.count): break
    default: return nil
    }
    match = .command(help, wordCount: 0)
    self.words = words
  }
}
