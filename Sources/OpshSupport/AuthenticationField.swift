/// A challenge or credentials of HTTP, such as `Digest realm="a", nonce="b"` (RFC 9110, 11.3 and
/// 11.4).
package struct AuthenticationField: Sendable, Equatable {
  /// The scheme in lower case, such as `digest`.
  package let scheme: String
  /// The text after the scheme, if it is one word, as in `Basic YTpi`.
  package private(set) var token: String?
  /// The parameters by their names in lower case; of a name that is there twice the first counts.
  package private(set) var parameters: [String: String] = [:]

  private init(scheme: String) { self.scheme = scheme }

  /// Reads all challenges, or the credentials, in the values of a header.
  ///
  /// - Parameter values: The values of all fields of that name; one can hold several challenges.
  /// - Returns: What was read up to the first mistake.
  package static func all(in values: [String]) -> [AuthenticationField] {
    values.flatMap { value in
      var reader = Reader(rest: Array(value.utf8)[...])
      return reader.readAll()
    }
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func readAll() -> [AuthenticationField] {
      var found: [AuthenticationField] = []
      while true {
        skip(",")
        guard let word = take(where: isTokenByte) else { return found }
        let after = rest
        skip()
        if !found.isEmpty, rest.first == UInt8(ascii: "=") {
          rest.removeFirst()
          skip()
          guard let value = value() else { return found }
          let name = word.lowercased()
          let last = found.count - 1
          if found[last].parameters[name] == nil { found[last].parameters[name] = value }
          continue
        }
        // A scheme ends at a space, at a comma or with the value.
        guard after.isEmpty || " \t,".utf8.contains(after[after.startIndex]) else { return found }
        var field = AuthenticationField(scheme: word.lowercased())
        let start = rest
        if let token = take(where: isToken68Byte) {
          let padding = rest.prefix { $0 == UInt8(ascii: "=") }
          rest = rest.dropFirst(padding.count)
          skip()
          if rest.isEmpty || rest.first == UInt8(ascii: ",") {
            field.token = token + String(repeating: "=", count: padding.count)
          } else {
            rest = start
          }
        }
        found.append(field)
      }
    }

    private mutating func value() -> String? {
      guard rest.first == UInt8(ascii: "\"") else { return take(where: isTokenByte) }
      rest.removeFirst()
      var text: [UInt8] = []
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
        case UInt8(ascii: "\\"): if let next = rest.popFirst() { text.append(next) }
        default: text.append(byte)
        }
      }
      return nil
    }

    private mutating func skip(_ others: String = "") {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 || others.utf8.contains($0) }
    }

    private mutating func take(where belongs: (UInt8) -> Bool) -> String? {
      let word = rest.prefix(while: belongs)
      rest = rest.dropFirst(word.count)
      return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }
  }

  /// Returns a text between quotation marks.
  package static func quoted(_ text: String) -> String {
    "\"" + text.replacing(scalars: ["\\": "\\\\", "\"": "\\\""]) + "\""
  }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
  default: false
  }
}

private func isTokenByte(_ byte: UInt8) -> Bool {
  isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
}

private func isToken68Byte(_ byte: UInt8) -> Bool {
  isLetterOrDigit(byte) || "-._~+/".utf8.contains(byte)
}
