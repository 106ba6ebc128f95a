import CommandParts
import Foundation
import OpshJSON
import OpshTexts

/// The page that shows operations and queues: one HTML document that asks for nothing else.
///
/// It has one inline style sheet and one inline script, and a policy that allows exactly these two.
/// What a recording says is data in it and never markup.
enum SessionPage {
  /// The document.
  ///
  /// - Parameter lines: The lines of a recording, which the page holds and plays; nil for a page that
  ///   follows a live session on the server it came from.
  /// - Returns: The HTML text.
  static func html(lines: [String]?) -> String {
    let texts = [
      "mode": lines == nil ? "live" : "recorded",
      "policy": contentSecurityPolicy(isLive: lines == nil),
      "style": PageText.style,
      "script": PageText.script,
      "causes": escaped(CauseTable.json.text),
      "recording": (lines ?? []).map(escaped).joined(separator: "\n"),
    ]
    let parts = PageText.markup.components(separatedBy: "{{")
    return parts[0]
      + parts.dropFirst().map { part in
        guard let end = part.range(of: "}}") else { return "{{" + part }
        return (texts[String(part[..<end.lowerBound])] ?? "") + part[end.upperBound...]
      }.joined()
  }

  /// What a browser may do for the page: run its script and its style, and for a live one ask the
  /// server it came from.
  static func contentSecurityPolicy(isLive: Bool) -> String {
    [
      "default-src 'none'", "script-src " + PageText.scriptSource,
      "style-src " + PageText.styleSource, "img-src data:",
      "connect-src " + (isLive ? "'self'" : "'none'"), "base-uri 'none'", "form-action 'none'",
    ].joined(separator: "; ")
  }

  /// A line of JSON in which no character means anything in HTML, also between single quotes; as JSON it
  /// is the same.
  private static func escaped(_ line: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.utf8.count)
    for byte in line.utf8 {
      switch byte {
      case UInt8(ascii: "<"): bytes += Array(#"\u003c"#.utf8)
      case UInt8(ascii: ">"): bytes += Array(#"\u003e"#.utf8)
      case UInt8(ascii: "&"): bytes += Array(#"\u0026"#.utf8)
      case UInt8(ascii: "'"): bytes += Array(#"\u0027"#.utf8)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
