package import Operations
package import ShellLanguage

extension UnplacedError {
  /// A value was read that had been dropped because values exceeded the limit of 'set keep';
  /// `size` is a sufficient one, if known.
  package static func droppedValue(
    of operation: ObservableOperation, size: String? = nil, property: String = "result"
  ) -> UnplacedError {
    let name = operation.displayName
    return UnplacedError(
      .valueDropped,
      "the value of '\(name)' was dropped: the values of finished operations took too much memory",
      help: "'set keep \(size ?? "SIZE")' keeps more from now on; 'let v = (\(name).\(property))', "
        + "right after it has finished, keeps this one")
  }
}

/// A placeholder for a dropped value; reading it is an error.
final class DroppedValue: LanguageObject {
  private let lost: UnplacedError

  init(_ lost: UnplacedError) { self.lost = lost }

  var typeName: String { "dropped value" }
  var text: String { "(dropped)" }
  var propertyNames: [String] { [] }
  var failure: (UnplacedError)? { lost }

  func property(_ name: String) -> Value? { .object(self) }
}

extension Value {
  /// Whether this is the placeholder of a dropped value.
  package var isLost: Bool {
    if case .object(let object) = self { object is DroppedValue } else { false }
  }
}

extension ErrorPage {
  package static let valueDropped = ErrorPage(
    "value-dropped", "The value of the operation was dropped",
    "The values of finished operations may take 64MB by default; beyond that the oldest go first. "
      + "The operation itself stays, with its outcome and times.",
    help: "'set keep SIZE' sets the limit; a variable that holds the value itself keeps it",
    wrong: example(keeping: "1kB"), right: example(keeping: "64MB"), proof: .running)

  private static func example(keeping size: String) -> String {
    "set keep \(size)\nfor n in 1..2 { block { (format(\"{:>9000}\", $n)) }; wait }\n"
      + "result block-1"
  }
}
