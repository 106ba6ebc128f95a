public import OpshJSON
import OpshSecrets
import OpshSupport

/// The body of a request that was sent, which can be shown without its secrets.
public struct SentBody: Sendable, Equatable {
  /// What a body says.
  public enum Content: Sendable, Equatable {
    /// The fields of a form.
    case fields([Field])
    /// The parts of a form with files.
    case parts([Field])
    /// A JSON text.
    case json(JSONValue)
  }

  /// A field of a form.
  public struct Field: Sendable, Equatable {
    /// Its name, decoded.
    public let name: String
    /// Its value, decoded; `***` if it is secret, nil for a file.
    public let value: String?
    /// The name of the file that it is; nil for a text.
    public let file: String?
    /// The type of that file.
    public let fileType: String?
  }

  /// A longer body is not shown.
  static let longestShown = 64 << 10

  private let body: RequestBody
  private let origin: BodyOrigin?

  /// Creates the body of a request; nil if it sends none.
  init?(of request: HTTPRequest) {
    guard let body = request.bodyToSend else { return nil }
    (self.body, origin) = (body, request.bodyOrigin)
  }

  /// How many bytes it has.
  public var size: Int { body.count }

  /// What it says, with the secrets masked that have a name.
  ///
  /// - Parameter type: The value of `Content-Type`.
  /// - Returns: The fields or the value; nil for what came from a file or from standard input, for a
  ///   long body, and for other types, whose secrets can't be told from the rest.
  public func content(type: String) -> Content? {
    switch origin {
    case .file?, .standardInput?: return nil
    case .parts(let parts)?:
      return .parts(
        parts.map { part in
          let isFile = part.fileType != nil
          return Field(
            name: part.name, value: isFile ? nil : Self.masked(part.content, of: part.name),
            file: isFile ? part.content.split(separator: "/").last.map(String.init) : nil,
            fileType: part.fileType)
        })
    case nil: break
    }
    guard body.count <= Self.longestShown, let bytes = body.heldBytes else { return nil }
    let name = type.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
    if name == "application/x-www-form-urlencoded" { return .fields(Self.fields(of: bytes)) }
    guard name.hasSuffix("/json") || name.hasSuffix("+json") else { return nil }
    return (try? JSONValue(parsing: bytes)).map { .json(Self.masked($0)) }
  }

  /// Masks what stands below secret names.
  private static func masked(_ value: JSONValue, isSecret: Bool = false) -> JSONValue {
    switch value {
    case .array(let elements): return .array(elements.map { masked($0, isSecret: isSecret) })
    case .object(let members):
      return .object(
        members.map { member in
          let isSecret = isSecret || SecretName.isSecret(member.name, in: .body)
          return .init(name: member.name, value: masked(member.value, isSecret: isSecret))
        })
    case .string, .integer, .real, .literal: return isSecret ? .string("***") : value
    case .null, .boolean: return value
    }
  }

  private static func fields(of bytes: [UInt8]) -> [Field] {
    bytes.split(separator: UInt8(ascii: "&")).map { pair in
      let sides = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let parts = sides.map { PercentEncoding.decode($0, plusIsSpace: true) }
      let value = parts.count > 1 ? parts[1] : ""
      return Field(
        name: parts[0], value: masked(value, of: parts[0]), file: nil, fileType: nil)
    }
  }

  private static func masked(_ value: String, of name: String) -> String {
    SecretName.isSecret(name, in: .body) ? "***" : value
  }
}
