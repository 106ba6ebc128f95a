/// A live thing of the host that a variable can hold, such as an operation or a queue.
public protocol LanguageObject: AnyObject, Sendable {
  /// The kind of thing, such as `operation`.
  var typeName: String { get }
  /// What `echo` shows, such as its name.
  var text: String { get }
  /// The names that `property(_:)` answers to.
  var propertyNames: [String] { get }
  /// Returns the value of a property, or nil if there is none of that name.
  func property(_ name: String) -> Value?
  /// Returns what `before` and `after` compare for a property that is a time, where that tells apart
  /// what the number does not; nil for all else.
  func instant(_ name: String) -> Value?
  /// The error of a placeholder for a dropped value; nil for all other objects.
  ///
  /// Reading a variable or a property that holds the placeholder throws this error.
  var failure: (UnplacedError)? { get }
}

extension LanguageObject {
  /// Returns nil: the object is not a placeholder.
  public var failure: (UnplacedError)? { nil }

  /// Nothing, for what has no times.
  public func instant(_ name: String) -> Value? { nil }
}
