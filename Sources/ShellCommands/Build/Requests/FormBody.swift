import Foundation
import ShellLanguage
import ShellSession
import Support

/// The body of a form, as a browser would send it: fields of text, or parts of which some are files.
struct FormBody {
  /// The bytes to send.
  let bytes: [UInt8]
  /// The value of `Content-Type`.
  let type: String

  /// Encodes fields as `application/x-www-form-urlencoded`.
  ///
  /// - Parameter fields: Their names and values, in the order in which they are sent.
  init(fields: [(name: String, value: String)]) {
    let pairs = fields.map { field in
      [field.name, field.value].map { PercentEncoding.encode($0, space: "+") }
        .joined(separator: "=")
    }
    bytes = Array(pairs.joined(separator: "&").utf8)
    type = "application/x-www-form-urlencoded"
  }

  /// One part of a form with files.
  struct Part {
    let name: String
    /// The last component of the file's path; nil for a text.
    let fileName: String?
    let content: [UInt8]
  }

  /// Encodes parts as `multipart/form-data` (RFC 7578).
  ///
  /// The line between the parts depends on the parts alone, so that a script sends the same bytes
  /// each time.
  ///
  /// - Parameter parts: The parts, in the order in which they are sent.
  init(parts: [Part]) {
    var number = 0
    while parts.contains(where: { $0.content.contains(Self.boundary(number)) }) { number += 1 }
    let boundary = Self.boundary(number)
    var bytes: [UInt8] = []
    for part in parts {
      var head =
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(part.name))\""
      if let name = part.fileName {
        let type = name.hasSuffix(".json") ? "application/json" : "application/octet-stream"
        head += "; filename=\"\(Self.quoted(name))\"\r\nContent-Type: \(type)"
      }
      bytes += Array((head + "\r\n\r\n").utf8) + part.content + Array("\r\n".utf8)
    }
    self.bytes = bytes + Array("--\(boundary)--\r\n".utf8)
    type = "multipart/form-data; boundary=\(boundary)"
  }

  private static func boundary(_ number: Int) -> String { "opsh-form-\(number)" }

  /// A name between quotation marks, escaped as browsers do (HTML, 4.10.21.8).
  private static func quoted(_ name: String) -> String {
    name.replacing("\"", with: "%22").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }
}

extension [UInt8] {
  /// Whether the bytes of a text are among these.
  fileprivate func contains(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}

extension Invocation {
  /// The form that the call gives as a body; nil if it gives none.
  func readForm() throws -> FormBody? {
    let (form, multipart) = (RequestCommands.form, RequestCommands.multipart)
    if call.has(form) { return FormBody(fields: try fields(of: form)) }
    guard call.has(multipart) else { return nil }
    return FormBody(
      parts: try fields(of: multipart).map { field in
        guard field.value.hasPrefix("@") else {
          return .init(name: field.name, fileName: nil, content: Array(field.value.utf8))
        }
        let path = String(field.value.dropFirst())
        let content = try readBody(at: path, of: multipart)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return .init(name: field.name, fileName: name, content: content)
      })
  }

  private func fields(of option: Option<[String]>) throws -> [(name: String, value: String)] {
    try call[option].enumerated().map { index, text in
      guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
        throw call.failure(
          .badFormField,
          "a field of a form is NAME=VALUE, and this has no \(text.hasPrefix("=") ? "name" : "'='")",
          at: option, index: index)
      }
      return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }
  }
}

extension ErrorPage {
  static let badFormField = ErrorPage(
    "bad-form-field", "A field of a form is not NAME=VALUE",
    "The name is what is in front of the first '='; the value may be empty, and hold further "
      + "ones.", help: "'--form' takes fields of text, '--multipart' also files: NAME=@FILE",
    wrong: "post / --form title", right: "post / --form title=Queues", proof: .running)
}
