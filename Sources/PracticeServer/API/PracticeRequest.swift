/// A request as the routes see it.
struct PracticeRequest {
  let method: String
  let route: Route
  let parameters: [String: String]

  /// Takes the target of a request line apart.
  ///
  /// - Parameters:
  ///   - method: The method, in capitals.
  ///   - target: The target as it was sent: a path and maybe a query, or a whole URL.
  init(method: String, target: [UInt8]) {
    self.method = method
    var target = target[...]
    if target.starts(with: "http://".utf8) {
      let rest = target.dropFirst(7)
      target = rest.firstIndex(of: UInt8(ascii: "/")).map { rest[$0...] } ?? []
    }
    let end = target.firstIndex(of: UInt8(ascii: "?"))
    let path = end.map { target[..<$0] } ?? target
    let query = end.map { target[($0 + 1)...] } ?? []
    let segments = path.split(separator: UInt8(ascii: "/"))
    route = Route(segments: segments.map { Self.decode($0, plusIsSpace: false) })
    parameters = Self.parameters(of: query)
  }

  private static func parameters(of query: ArraySlice<UInt8>) -> [String: String] {
    var parameters: [String: String] = [:]
    for pair in query.split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "="))
      let name = decode(equals.map { pair[..<$0] } ?? pair, plusIsSpace: true).lowercased()
      let value = equals.map { decode(pair[($0 + 1)...], plusIsSpace: true) } ?? ""
      // Of a name that is given twice the first counts.
      if parameters[name] == nil { parameters[name] = value }
    }
    return parameters
  }

  /// Decodes percent escapes; what is no escape stands for itself.
  private static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if byte == UInt8(ascii: "%"), index + 2 < text.endIndex,
        let high = hexadecimalValue(text[index + 1]), let low = hexadecimalValue(text[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
