public import Foundation
public import OpshJSON

/// A type that the value of a field is read as.
public protocol APIFieldValue: Sendable {
  /// The value of a field that is missing; nil if it must not be.
  static var missing: Self? { get }
  /// Reads a value.
  init(field value: JSONValue) throws(APIFieldError)
}

/// Why an item is not what its description says.
public struct APIFieldError: Error, Sendable {
  private var path = ""
  private let problem: String
  /// Whether it is only a number that its type cannot hold.
  public let isNumberOutOfRange: Bool

  /// Creates an error.
  public init(_ problem: String, isNumberOutOfRange: Bool = false) {
    self.problem = problem
    self.isNumberOutOfRange = isNumberOutOfRange
  }

  init(_ value: JSONValue, isNot expected: String) {
    self.init("is \(value.kind) instead of \(expected)")
  }

  init(outOfRange value: JSONValue) {
    self.init("is \(value.kind) that does not fit 64 bits", isNumberOutOfRange: true)
  }

  /// What is wrong, with the path where it is.
  public var message: String { (path.isEmpty ? "the value " : "'\(path)' ") + problem }

  /// Returns the same error of a value inside another one.
  public func within(_ name: String) -> Self {
    var error = self
    error.path = name + (path.isEmpty || path.hasPrefix("[") ? path : "." + path)
    return error
  }
}

extension APIFieldValue {
  /// Nil: the field is required.
  public static var missing: Self? { nil }
}

extension Optional: APIFieldValue where Wrapped: APIFieldValue {
  /// Nil as a value.
  public static var missing: Self? { .some(nil) }
  /// Reads a value that may be null, or too great.
  public init(field value: JSONValue) throws(APIFieldError) {
    do throws(APIFieldError) {
      self = if case .null = value { nil } else { try Wrapped(field: value) }
    } catch {
      guard error.isNumberOutOfRange else { throw error }
      self = nil
    }
  }
}

extension Array: APIFieldValue where Element: APIFieldValue {
  /// Reads an array.
  public init(field value: JSONValue) throws(APIFieldError) {
    guard case .array(let elements) = value else { throw APIFieldError(value, isNot: "an array") }
    self = []
    for (index, element) in elements.enumerated() {
      do throws(APIFieldError) {
        append(try Element(field: element))
      } catch {
        throw error.within("[\(index)]")
      }
    }
  }
}

extension JSONValue: APIFieldValue {
  /// Takes any value.
  public init(field value: JSONValue) { self = value }
}

extension Bool: APIFieldValue {
  /// Reads a boolean.
  public init(field value: JSONValue) throws(APIFieldError) {
    guard case .boolean(let flag) = value else { throw APIFieldError(value, isNot: "a boolean") }
    self = flag
  }
}

extension String: APIFieldValue {
  /// Reads a string.
  public init(field value: JSONValue) throws(APIFieldError) {
    guard case .string(let text) = value else { throw APIFieldError(value, isNot: "a string") }
    self = text
  }
}

extension Int: APIFieldValue {
  /// Reads a whole number, in whatever notation.
  public init(field value: JSONValue) throws(APIFieldError) {
    guard let number: Int = value.exactInteger() else {
      // What is too long for a `Double` is infinite, and whole.
      let isWhole = value.double.map { $0 == $0.rounded() } ?? false
      throw isWhole ? APIFieldError(outOfRange: value) : APIFieldError(value, isNot: "an integer")
    }
    self = number
  }
}

/// Seconds since 1970.
extension Date: APIFieldValue {
  /// Reads a number.
  public init(field value: JSONValue) throws(APIFieldError) {
    guard let number = value.double else { throw APIFieldError(value, isNot: "a number") }
    guard number.isFinite else { throw APIFieldError(outOfRange: value) }
    self.init(timeIntervalSince1970: number)
  }
}
