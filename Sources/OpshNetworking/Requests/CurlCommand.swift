import OpshSupport

/// A command of curl, word by word, in which no secret stands.
public struct CurlCommand: Sendable, Equatable {
  /// A word, or the beginning of one that ends with a secret.
  public struct Word: Sendable, Equatable {
    /// The text.
    public let text: String
    /// Where the shell that runs the command reads the rest; nil for none.
    public let rest: HTTPAuthentication.Source?
  }

  /// The words, the first one of which is `curl`.
  public private(set) var words: [Word] = [Word(text: "curl", rest: nil)]
  /// What curl does otherwise than the request, and what has to be done before.
  public internal(set) var notes: [String] = []

  /// Creates the command without arguments.
  public init() {}

  mutating func add(_ texts: String...) {
    words += texts.map { Word(text: $0, rest: nil) }
  }

  mutating func add(_ text: String, rest: HTTPAuthentication.Source) {
    words.append(Word(text: text, rest: rest))
  }

  /// Returns the command for a POSIX shell: `"$NAME"` and `"$(cat FILE)"` read the secrets there.
  ///
  /// - Parameter quoted: Quotes a word for the shell.
  /// - Returns: One line, unless a word has more, and each note as a comment in a line of its own.
  public func shellText(quoted: (String) -> String) -> String {
    let command = words.map { word in
      guard let rest = word.rest else { return quoted(word.text) }
      let start = word.text.replacing(
        scalars: ["\\": "\\\\", "\"": "\\\"", "$": "\\$", "`": "\\`"])
      return switch rest {
      case .environment(let name): "\"\(start)$\(name)\""
      case .file(let path): "\"\(start)$(cat \(quoted(path)))\""
      }
    }
    .joined(separator: " ")
    return command + notes.map { "\n# \($0)" }.joined()
  }
}
