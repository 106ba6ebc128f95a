import Foundation
import OpshSecrets

extension HTTPRequest {
  /// The greatest length of a body that is searched for credentials.
  private static let longestBody = 1 << 20

  /// The credentials in a request: in headers, in its address, and under the names of JSON keys or
  /// form fields in its body.
  ///
  /// - Parameter headers: Headers that are sent in addition to its own.
  /// - Returns: Each credential, in all encodings in which it may appear.
  func credentials(adding headers: HTTPHeaders) -> [String] {
    var texts: [String] = []
    for field in self.headers.fields + headers.fields where field.isSecret {
      let isCookie = field.name.lowercased() == "cookie"
      texts += Credentials.texts(inHeader: field.value, isCookie: isCookie)
    }
    for field in self.headers.fields + headers.fields where !field.isSecret {
      texts += SecretText.credentials(in: field.value)
    }
    texts += address.secrets.flatMap(Credentials.written)
    if case .parts(let parts)? = bodyOrigin {
      let secrets = parts.filter { $0.fileType == nil && SecretName.isSecret($0.name, in: .body) }
      texts += secrets.flatMap { Credentials.written($0.content) }
    }
    if let body, body.count <= Self.longestBody, let bytes = body.heldBytes, !bytes.isEmpty {
      texts += Self.secrets(in: bytes)
    }
    // Every client of the practice server has that one.
    return texts.filter { $0 != ParseCredentials.practice.key }
  }

  private static func secrets(in body: [UInt8]) -> [String] {
    if let json = try? JSONValue(body: body) { return secrets(in: json) }
    guard body.contains(UInt8(ascii: "=")), let text = String(validating: body, as: UTF8.self)
    else { return [] }
    return text.split(separator: "&").flatMap { field -> [String] in
      let sides = field.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, let name = sides[0].removingPercentEncoding,
        SecretName.isSecret(name, in: .body)
      else { return [] }
      // A form writes a space as '+'.
      let value = String(sides[1])
      return Credentials.written(value)
        + (value.contains("+") ? Credentials.written(value.replacing("+", with: "%20")) : [])
    }
  }

  private static func secrets(in value: JSONValue) -> [String] {
    switch value {
    case .array(let elements): return elements.flatMap(secrets)
    case .object(let members):
      return members.flatMap { member in
        SecretName.isSecret(member.name, in: .body)
          ? leaves(of: member.value) : secrets(in: member.value)
      }
    default: return []
    }
  }

  /// Every text and number in a value, under any name.
  private static func leaves(of value: JSONValue) -> [String] {
    switch value {
    case .string(let text): Credentials.written(text)
    case .integer, .real, .literal: [value.text]
    case .array(let elements): elements.flatMap(leaves)
    case .object(let members): members.flatMap { leaves(of: $0.value) }
    case .null, .boolean: []
    }
  }
}
