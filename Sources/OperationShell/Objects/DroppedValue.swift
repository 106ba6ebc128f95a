import Operations
import ShellLanguage

/// That a value was asked for which was dropped because values took more than 'set keep' allows.
struct DroppedValue: CodedFailure {
  /// The name of the operation.
  let name: String
  /// What would have been enough, where that is known.
  var size: String?
  /// The property that had the value.
  var property = "result"

  init(of operation: ObservableOperation, size: String? = nil, property: String = "result") {
    name = operation.displayName
    self.size = size
    self.property = property
  }

  var code: String { "value-dropped" }

  var message: String {
    "the value of '\(name)' was dropped: the values of finished operations took too much memory"
  }

  var help: String? {
    "'set keep \(size ?? "SIZE")' keeps more from now on; 'let v = (\(name).\(property))', right "
      + "after it has finished, keeps this one"
  }
}

/// Stands where a value was that is lost; reading it is an error.
final class LostValue: LanguageObject {
  private let lost: any CodedFailure

  init(_ lost: any CodedFailure) { self.lost = lost }

  var typeName: String { "lost value" }
  var text: String { "(dropped)" }
  var propertyNames: [String] { [] }
  var failure: (any CodedFailure)? { lost }

  func property(_ name: String) -> Value? { .object(self) }
}

extension Value {
  /// Whether it stands for a value that was dropped.
  var isLost: Bool {
    if case .object(let object) = self { object is LostValue } else { false }
  }
}
