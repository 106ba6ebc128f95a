import BuildCommands
import CommandParts
import ShellLanguage
import ShellSession

/// The options that stand once, in `help options`, and not on the page of each command.
enum SharedOptions {
  /// A page of shared options.
  private struct Page {
    let topic: String
    let options: [CommandSignature.Option]
    /// Options that only some of the commands have; a page says nothing of it if they are missing.
    let optional: Set<String>

    /// The options of a command that are on the page; empty where the command has few of them.
    func shared(with signature: CommandSignature) -> [CommandSignature.Option] {
      let shared = options.filter { option in
        signature.option(named: option.name)?.help == option.help
      }
      return shared.count * 2 > options.count ? shared : []
    }
  }

  private static let pages = [
    Page(
      topic: "options requests",
      options: RequestParameters.forReading.map(\.declaration),
      optional: [RequestParameters.cached.name]),
    Page(
      topic: "options",
      options: BuildOptions.all.map(\.declaration), optional: []),
  ]

  /// The names of the options that the page of a command leaves out.
  static func names(of signature: CommandSignature) -> Set<String> {
    var names = Set(pages.flatMap { $0.shared(with: signature) }.map(\.name))
    if !names.isEmpty, let json = signature.option(named: Invocation.json.name),
      json.help == Invocation.json.declaration.help
    {
      names.insert(json.name)
    }
    return names
  }

  /// A signature with the options only that the page of a command shows.
  static func own(of signature: CommandSignature) -> CommandSignature {
    CommandSignature(
      path: signature.path, signature.declaration.leavingOut(names(of: signature)))
  }

  /// Lines that name the pages of the shared options, and the options that a command lacks.
  static func notes(on signature: CommandSignature) -> [String] {
    var topics: [String] = []
    var missing: [String] = []
    for page in pages {
      let shared = page.shared(with: signature)
      guard !shared.isEmpty else { continue }
      topics.append("'help \(page.topic)'")
      missing += page.options.map(\.name).filter { name in
        !page.optional.contains(name) && signature.option(named: name) == nil
      }
    }
    guard !topics.isEmpty else { return [] }
    let without = missing.isEmpty ? "" : ", without " + missing.map { "--" + $0 }.list
    return ["[OPTION…]: see \(topics.list)\(without)."]
  }
}

extension [String] {
  /// The texts in a row: `a, b and c`.
  fileprivate var list: String {
    count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + self[count - 1]
  }
}
