import OpshNetworking
import ShellSession
import OpshTerminal

extension HTTPResponse: ShellResult {
  /// Prints the response as that to a GET request.
  func show(_ invocation: Invocation) {
    ResponseText(response: self, isRefusal: false, method: "GET").show(invocation)
  }
}

/// A response as `result` prints it.
///
/// A terminal gets JSON with one member to a line, text with control characters made visible, and
/// the size of anything else. A file or a program gets the bytes of the body and nothing else.
struct ResponseText {
  let response: HTTPResponse
  /// Whether the request failed because of its status.
  let isRefusal: Bool
  /// The method of the request: a response to HEAD never has a body.
  let method: String

  func show(_ invocation: Invocation) {
    let hasBody = !response.body.isEmpty
    // A redirection asks for the body; standard output may be read by a person too.
    let isRedirected = invocation.screen.sink.value != nil
    if isRedirected ? method == "HEAD" : isRefusal || !hasBody { showHead(invocation) }
    guard hasBody else { return }
    guard invocation.isShown else { return invocation.write(bytes: response.body) }
    if Self.isJSON(response.body), let text = JSONLayout.spread(response.body) {
      invocation.printText(text)
    } else if let text = response.text, !text.contains("\0") {
      invocation.printText(text)
    } else {
      let type = response.head.headers["Content-Type"] ?? "no Content-Type"
      invocation.print(
        StyledText("\(ByteCount(response.body.count).description), \(VisibleText.escape(type))"))
    }
    if response.isTruncated {
      invocation.print(StyledText("… the rest of the body was not kept", style: .dim))
    }
  }

  /// Status and headers, and an empty line before the body.
  private func showHead(_ invocation: Invocation) {
    let status = "status \(response.head.status)"
    let body =
      !response.body.isEmpty ? "" : response.isTruncated ? ", its body was not kept" : ", no body"
    invocation.print(StyledText(status + body))
    for field in response.head.headers.fields {
      let name = StyledText(VisibleText.escape(field.name) + ": ", style: .dim)
      invocation.print(name + StyledText(VisibleText.escape(field.shownValue)))
    }
    if !response.body.isEmpty { invocation.print("") }
  }

  /// Whether it is an object or an array; a lone number or text is shown as it was received.
  private static func isJSON(_ body: [UInt8]) -> Bool {
    guard let first = body.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    else { return false }
    return (try? JSONValue(parsing: body)) != nil
  }
}

/// Lays JSON text out over lines.
///
/// It copies the bytes of valid JSON without decoding them, so every number and escape stays as the
/// server wrote it.
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
