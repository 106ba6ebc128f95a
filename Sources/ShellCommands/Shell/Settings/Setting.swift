import CommandParts
import OpshNetworking
import ShellLanguage
import ShellSession

/// An option of the session: a type in a file of its own, which has its name and its values, and
/// sets it.
///
/// The command `set NAME [VALUE]` follows from it, with its page, its completion and its checks.
protocol Setting: Command {
  /// The type of the argument after the name.
  associatedtype ArgumentKey: Parameter, PositionalDeclaration
  /// What it is set to.
  associatedtype Content

  static var name: String { get }
  /// What it is, in one line.
  static var summary: String { get }
  static var discussion: String { get }
  /// The argument after the name.
  static var argument: ArgumentKey { get }
  static var examples: [CommandDeclaration.Example] { get }
  static var searchTerms: [String] { get }
  static var traits: CommandDeclaration.Traits { get }

  /// Its present value.
  static func value(in invocation: Invocation) -> Value

  /// The present value as text, which it could be set to.
  static func text(in invocation: Invocation) -> String

  /// What a call sets it to; nil for a call that only shows it.
  static func content(of call: CommandCall) -> Content?

  /// Sets it.
  ///
  /// - Throws: An `UnplacedError` where that is not possible now.
  static func set(_ content: Content, in invocation: Invocation) throws
}

extension Setting where ArgumentKey.Value == Content? {
  static func content(of call: CommandCall) -> Content? { call[argument] }
}

extension Setting {
  static var traits: CommandDeclaration.Traits { [] }
  static func text(in invocation: Invocation) -> String { value(in: invocation).text }

  static var path: [String] { ["set", name] }
  static var declaration: CommandDeclaration {
    CommandDeclaration(
      summary: summary, discussion: discussion, positionals: [argument], examples: examples,
      searchTerms: searchTerms, traits: traits)
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    if let content = content(of: call) {
      do {
        try set(content, in: invocation)
      } catch let error as UnplacedError {
        throw call.failure(error, at: argument)
      }
    } else if invocation.isJSON {
      printObject(invocation)
    } else {
      invocation.printText(text(in: invocation))
    }
    return value(in: invocation)
  }

  /// Prints the option as an object.
  static func printObject(_ invocation: Invocation) {
    invocation.object(
      .setting,
      [
        "name": .string(name), "value": .string(text(in: invocation)),
        "summary": .string(summary),
      ])
  }
}

/// The options of the session.
enum Settings {
  static let all: [any Setting.Type] = [
    SetClock.self, SetConnectTimeout.self, SetEditing.self, SetIdleTimeout.self, SetKeep.self,
    SetNotify.self, SetPager.self, SetPlain.self, SetPrompt.self, SetSeed.self, SetSpeed.self,
    SetTheme.self, SetTrace.self,
  ]
}
