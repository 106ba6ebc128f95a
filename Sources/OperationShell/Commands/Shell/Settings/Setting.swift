import Networking
import ShellLanguage
import Terminal

/// One option of the session: a type in a file of its own, which says what it is called, what it can
/// be, what it is, and sets it.
///
/// The command `set NAME [VALUE]` follows from it, with its page, its completion and its checks.
protocol Setting: Command {
  static var name: String { get }
  /// What it is about, in one line.
  static var summary: String { get }
  static var discussion: String { get }
  /// What its value can be.
  static var kind: ArgumentKind { get }
  static var valueHelp: String { get }
  static var examples: [CommandSignature.Example] { get }
  static var searchTerms: [String] { get }

  /// What it is now.
  static func value(in session: Session) -> Value

  /// The same as it is shown, and as it would be set.
  static func text(in session: Session) -> String

  /// Sets it to a value of its kind.
  ///
  /// - Throws: A `CodedFailure` where that can't be now.
  static func set(_ value: Value, in session: Session) throws
}

extension Setting {
  static func text(in session: Session) -> String { value(in: session).text }

  static var signature: CommandSignature {
    CommandSignature(
      path: ["set", name], summary: summary, discussion: discussion,
      positionals: [.init("value", kind, .optional, help: valueHelp)], examples: examples,
      searchTerms: searchTerms)
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    if let value = invocation.call.value("value") {
      do {
        try set(value, in: session)
      } catch let error as any CodedFailure {
        throw invocation.call.failure(error.code, error.message, at: "value", help: error.help)
      }
    } else {
      show(invocation)
    }
    return value(in: session)
  }

  /// Prints the value, with `--json` as an object.
  static func show(_ invocation: Invocation) {
    if invocation.isJSON {
      printObject(invocation)
    } else {
      invocation.printText(text(in: invocation.session))
    }
  }

  /// Prints the option as an object.
  static func printObject(_ invocation: Invocation) {
    invocation.object(
      .setting,
      [
        "name": .string(name), "value": .string(text(in: invocation.session)),
        "summary": .string(summary),
      ])
  }
}

/// The options of the session there are.
enum Settings {
  static let all: [any Setting.Type] = [
    SetClock.self, SetKeep.self, SetPager.self, SetSeed.self, SetTrace.self,
  ]
}
