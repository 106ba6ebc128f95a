/// A command of the host: its name, its declaration, and what is known of its calls before they run.
///
/// Everything else counts as possible: a script is refused only for what is certainly wrong.
public protocol HostCommand: Sendable {
  /// The bare words that name the command, such as `queue` and `pause`.
  static var path: [String] { get }

  /// What it is for and what it takes; a catalogue asks for it when the command is first used.
  static var declaration: CommandDeclaration { get }

  /// Returns the names that a call creates.
  static func names(createdBy call: CommandCall) -> [CreatedName]

  /// Returns what the value of a call is.
  static func value(of call: CommandCall) -> StaticKind

  /// Returns whether a call runs its block where it stands, once.
  static func runsBlockOnce(_ call: CommandCall) -> Bool

  /// Returns how another session goes on after a call, which then stands at the top level; nil if the
  /// same one does.
  static func succession(of call: CommandCall) -> Succession?

  /// Returns whether a call only shows what can be shown of a moment of the past too.
  static func canLookBack(_ call: CommandCall) -> Bool

  /// Whether it only builds something and prints nothing, so that '>' and '|' would take nothing.
  static var printsNothing: Bool { get }
}

extension HostCommand {
  /// Returns no names by default.
  public static func names(createdBy call: CommandCall) -> [CreatedName] { [] }
  /// Returns by default that the value is unknown.
  public static func value(of call: CommandCall) -> StaticKind { .unknown }
  /// Returns false by default: the block may run later, or any number of times.
  public static func runsBlockOnce(_ call: CommandCall) -> Bool { false }
  /// Returns by default that the same session goes on.
  public static func succession(of call: CommandCall) -> Succession? { nil }
  /// Returns false by default.
  public static func canLookBack(_ call: CommandCall) -> Bool { false }
  /// Returns false by default.
  public static var printsNothing: Bool { false }
}

/// A name, or several, that a call creates.
public struct CreatedName: Sendable, Hashable {
  /// How far the name is known.
  public enum Extent: Sendable, Hashable {
    /// This one.
    case exact(String)
    /// The word followed by a dash and a number, and how many of them.
    case numbered(String, count: Int)
    /// Any name at all.
    case anything
  }

  /// What it names, such as an `operation`.
  public let namespace: String
  /// The name.
  public let extent: Extent

  /// Creates a name.
  public init(_ namespace: String, _ extent: Extent) {
    self.namespace = namespace
    self.extent = extent
  }
}
