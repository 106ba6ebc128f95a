import Foundation
import OpshNetworking
import Operations
package import ShellLanguage
import ShellSession
import OpshSystemCalls
import OpshSupport

/// The body of a form, as a browser would send it: fields of text, or parts of which some are files.
struct FormBody {
  /// What to send.
  let content: RequestBody
  /// The value of `Content-Type`.
  let type: String

  /// Encodes fields as `application/x-www-form-urlencoded`.
  init(fields: [(name: String, value: String)]) {
    let pairs = fields.map { field in
      [field.name, field.value].map { PercentEncoding.encode($0, space: "+") }
        .joined(separator: "=")
    }
    content = .bytes(Array(pairs.joined(separator: "&").utf8))
    type = "application/x-www-form-urlencoded"
  }

  /// One part of a form with files.
  struct Part {
    let name: String
    /// The last component of the file's path; nil for a text.
    let fileName: String?
    let content: RequestBody.Part
  }

  /// Encodes parts as `multipart/form-data` (RFC 7578).
  ///
  /// - Parameters:
  ///   - parts: The parts, in the order in which they are sent.
  ///   - boundary: The line between the parts, which none of them may contain.
  init(parts: [Part], boundary: String) {
    var content: [RequestBody.Part] = []
    var bytes: [UInt8] = []
    for part in parts {
      var head =
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(part.name))\""
      if let name = part.fileName {
        let type = Self.type(ofFile: name)
        head += "; filename=\"\(Self.quoted(name))\"\r\nContent-Type: \(type)"
      }
      bytes += (head + "\r\n\r\n").systemBytes
      switch part.content {
      case .bytes(let text): bytes += text
      case .file:
        content += [.bytes(bytes), part.content]
        bytes = []
      }
      bytes += Array("\r\n".utf8)
    }
    bytes += Array("--\(boundary)--\r\n".utf8)
    self.content = RequestBody(content + [.bytes(bytes)])
    type = "multipart/form-data; boundary=\(boundary)"
  }

  /// Draws a line between parts that no part contains: its 144 random bits were not known when the
  /// parts were written, so they are not searched.
  ///
  /// - Parameter engine: The engine whose random numbers are used, so that a seed repeats it.
  /// - Returns: The line.
  static func boundary(_ engine: OperationEngine) -> String {
    let digits = (0..<3).map { _ in
      Int(engine.drawChance() * Double((1 << 48) - 1)).padded(to: 12, radix: 16)
    }
    return "opsh-form-" + digits.joined()
  }

  /// The type of a file by its name.
  static func type(ofFile name: String) -> String {
    name.hasSuffix(".json") ? "application/json" : "application/octet-stream"
  }

  /// A name between quotation marks, escaped as browsers do (HTML, 4.10.21.8).
  private static func quoted(_ name: String) -> String {
    name.replacing(scalars: ["\"": "%22", "\r": "%0D", "\n": "%0A"])
  }
}

extension Invocation {
  /// The form that the call gives as a body; nil if it gives none.
  func readForm() throws -> FormBody? {
    let (form, multipart) = (RequestCommands.form, RequestCommands.multipart)
    if call.has(form) { return FormBody(fields: fields(of: form)) }
    guard call.has(multipart) else { return nil }
    return FormBody(
      parts: try fields(of: multipart).map { field in
        guard field.value.hasPrefix("@") else {
          return .init(name: field.name, fileName: nil, content: .bytes(Array(field.value.utf8)))
        }
        let path = String(field.value.dropFirst())
        let content = try readBody(at: path, of: multipart)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return .init(name: field.name, fileName: name, content: content)
      }, boundary: FormBody.boundary(jobs.engine))
  }

  /// Where the body comes from; nil for one that the call itself holds.
  func bodyOrigin() throws -> BodyOrigin? {
    if let path = call[RequestCommands.file] {
      return path == "-" ? .standardInput : .file(outside.place(of: path))
    }
    guard call.has(RequestCommands.multipart) else { return nil }
    return .parts(
      fields(of: RequestCommands.multipart).map { field in
        guard field.value.hasPrefix("@") else {
          return .init(name: field.name, content: field.value, fileType: nil)
        }
        let path = outside.place(of: String(field.value.dropFirst()))
        return .init(name: field.name, content: path, fileType: FormBody.type(ofFile: path))
      })
  }

  private func fields(of option: Option<[String]>) -> [(name: String, value: String)] {
    call[option].compactMap(FormBody.field)
  }
}

extension FormBody {
  /// Splits `NAME=VALUE`; nil where there is no name or no sign.
  fileprivate static func field(_ text: String) -> (name: String, value: String)? {
    guard let sign = text.firstIndex(of: "="), sign != text.startIndex else { return nil }
    return (String(text[..<sign]), String(text[text.index(after: sign)...]))
  }

  /// The error of a text that is not a field.
  static func refusal(ofField text: String) -> UnplacedError? {
    guard field(text) == nil else { return nil }
    return UnplacedError(
      .badFormField,
      "a field of a form is NAME=VALUE, and this has no \(text.hasPrefix("=") ? "name" : "'='")")
  }
}

extension ErrorPage {
  package static let badFormField = ErrorPage(
    "bad-form-field", "A field of a form is not NAME=VALUE",
    "The name is what is in front of the first '='; the value may be empty, and hold further "
      + "ones.", help: "'--form' takes fields of text, '--multipart' also files: NAME=@FILE",
    wrong: "post /cookies --form title", right: "post /cookies --form title=Queues\nwait")
}
