import Networking
import ShellLanguage
import Terminal

/// A response as people read it: text as text, JSON with one member to a line, anything else by its
/// size.
enum ResponseText {
  static func show(_ response: HTTPResponse, _ invocation: Invocation) {
    guard !response.body.isEmpty else { return showHead(response.head, invocation) }
    if isJSON(response.body), let text = JSONLayout.spread(response.body) {
      invocation.printText(text)
    } else if let text = response.text, !text.contains("\0") {
      invocation.printText(text)
    } else {
      let type = response.head.headers["Content-Type"] ?? "no Content-Type"
      invocation.print(
        StyledText("\(ByteCount(response.body.count).description), \(VisibleText.escape(type))"))
    }
  }

  /// Status and headers, for a response that has nothing else.
  private static func showHead(_ head: HTTPResponseHead, _ invocation: Invocation) {
    invocation.print(StyledText("status \(head.status), no body"))
    for field in head.headers.fields {
      let name = StyledText(VisibleText.escape(field.name) + ": ", style: .dim)
      invocation.print(name + StyledText(VisibleText.escape(field.maskedValue)))
    }
  }

  /// Whether it is an object or an array; a lone number or text is shown as it came.
  private static func isJSON(_ body: [UInt8]) -> Bool {
    guard let first = body.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    else { return false }
    return (try? JSONValue(parsing: body)) != nil
  }
}

/// Lays JSON text out over lines.
///
/// It moves the bytes of valid JSON and understands none of them, so every number and escape stays
/// as the server wrote it.
enum JSONLayout {
  static func spread(_ bytes: [UInt8]) -> String? {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count * 2)
    var depth = 0
    var isInString = false
    var isEscaped = false
    var isEmpty = false
    func breakLine() {
      output.append(0x0A)
      output.append(contentsOf: repeatElement(0x20, count: 2 * depth))
    }
    for byte in bytes {
      if isInString {
        output.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if isEmpty { breakLine() }
        output.append(byte)
        depth += 1
        isEmpty = true
        continue
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if !isEmpty { breakLine() }
        output.append(byte)
      case UInt8(ascii: ","):
        output.append(byte)
        breakLine()
      case UInt8(ascii: ":"):
        output += [byte, 0x20]
      default:
        if isEmpty { breakLine() }
        isInString = byte == UInt8(ascii: "\"")
        output.append(byte)
      }
      isEmpty = false
    }
    return String(validating: output, as: UTF8.self)
  }
}
