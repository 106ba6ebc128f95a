/// Finds secrets in what people type, so that they are neither shown again nor kept in files.
///
/// A secret is the value of a header such as `Authorization: …`, of a `--key`, of a field such as
/// `key=…` in an address, or the name and password before its host.
enum SecretMask {
  /// The text with a star in place of each character of a secret, so that places stay what they
  /// are.
  static func mask(_ text: String) -> String {
    var masked = text
    for range in ranges(in: text).reversed() {
      let stars = String(repeating: "*", count: text[range].count)
      // From the end on, so that the indices before it stay those of the text.
      masked.replaceSubrange(range, with: stars)
    }
    return masked
  }

  static func holdsSecret(_ text: String) -> Bool { !ranges(in: text).isEmpty }

  private static func ranges(in text: String) -> [Range<String.Index>] {
    // Most lines hold none of these words, and need no closer look.
    let lowercased = text.lowercased()
    guard
      ["key", "auth", "token", "secret", "password", "cookie", "@"]
        .contains(where: lowercased.contains)
    else { return [] }
    let header =
      /([\w\-]*(?:authorization|cookie|key|token|secret|password)[\w\-]*):[ \t]*([^'"\s][^'"]*)/
      .ignoresCase()
    // What follows it in the usage of a command or in a list of options is no secret.
    let option = /--key(?:=|\s+(?!KEY\]|--))(?:'([^']+)'|"([^"]+)"|([^\s'";]+))/
    let field =
      /[?&](?:key|access_token|api_?key|token|password|secret|client_secret)=([^&\s'"]+)/
      .ignoresCase()
    var found = text.matches(of: header).map { $0.output.2.startIndex..<$0.output.2.endIndex }
    for match in text.matches(of: option) {
      guard let value = match.output.1 ?? match.output.2 ?? match.output.3 else { continue }
      found.append(value.startIndex..<value.endIndex)
    }
    found += text.matches(of: field).map { $0.output.1.startIndex..<$0.output.1.endIndex }
    let user = /\w:\/\/([^\/?#\s'"]+)@/
    found += text.matches(of: user).map { $0.output.1.startIndex..<$0.output.1.endIndex }
    // Without those that overlap an earlier one.
    var separate: [Range<String.Index>] = []
    for range in found.sorted(by: { $0.lowerBound < $1.lowerBound })
    where separate.last.map({ $0.upperBound <= range.lowerBound }) ?? true {
      separate.append(range)
    }
    return separate
  }
}
