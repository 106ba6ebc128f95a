import OpshSecrets
import OpshSupport

/// The target of a request line without the secrets in it, and no longer than a log can bear.
struct MaskedTarget: Equatable {
  /// The bytes, in which secrets are replaced already.
  private let bytes: [UInt8]
  private let isShortened: Bool

  static let maximumLength = 1_000

  private static let mask = Array("***".utf8)

  init(_ target: [UInt8]) {
    // Only what follows the host is kept: a client may send a whole URL with a name and a password.
    let shown = PracticeRequest.originForm(target)
    let query = shown.firstIndex(of: UInt8(ascii: "?")) ?? shown.endIndex
    var masked = Self.maskedPath(shown[..<query])
    guard query < shown.endIndex else {
      (bytes, isShortened) = Self.shorten(masked)
      return
    }
    masked.append(shown[query])
    var isFirst = true
    // Values are replaced before anything is cut off, so that no half of one is left.
    for field in shown[(query + 1)...].split(
      separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    {
      if masked.count > Self.maximumLength { break }
      if !isFirst { masked.append(UInt8(ascii: "&")) }
      isFirst = false
      if let equals = field.firstIndex(of: UInt8(ascii: "=")),
        Self.isSecret(field[..<equals]) || Self.holdsSecret(field[(equals + 1)...])
      {
        masked += field[...equals]
        masked += Self.mask
      } else {
        masked += field
      }
    }
    (bytes, isShortened) = Self.shorten(masked)
  }

  /// The path and the query as printable ASCII.
  var text: (path: String, query: String?) {
    let ending = isShortened ? "…" : ""
    guard let query = bytes.firstIndex(of: UInt8(ascii: "?")) else {
      return (Self.printable(bytes[...]) + ending, nil)
    }
    return (Self.printable(bytes[..<query]), Self.printable(bytes[(query + 1)...]) + ending)
  }

  private static func shorten(_ bytes: [UInt8]) -> ([UInt8], Bool) {
    bytes.count > maximumLength ? (Array(bytes.prefix(maximumLength)), true) : (bytes, false)
  }

  /// The path, in which a parameter may be secret: `/list;token=X`.
  private static func maskedPath(_ path: ArraySlice<UInt8>) -> [UInt8] {
    guard path.contains(UInt8(ascii: ";")) else { return Array(path) }
    var masked: [UInt8] = []
    var place = path.startIndex
    while let semicolon = path[place...].firstIndex(of: UInt8(ascii: ";")) {
      let parameter = path[(semicolon + 1)...].prefix { $0 != UInt8(ascii: ";") && $0 != 0x2F }
      masked += path[place...semicolon]
      if let equals = parameter.firstIndex(of: UInt8(ascii: "=")), isSecret(parameter[..<equals]) {
        masked += parameter[...equals] + mask
      } else {
        masked += parameter
      }
      place = parameter.endIndex
    }
    return masked + path[place...]
  }

  private static func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.contains(UInt8(ascii: "%")) else {
      return SecretName.isSecret(utf8: name, in: .address)
    }
    let decoded = PercentEncoding.decode(name, plusIsSpace: true)
    return SecretName.isSecret(decoded, in: .address)
  }

  /// Whether a value is an address with a secret in it.
  private static func holdsSecret(_ value: ArraySlice<UInt8>) -> Bool {
    value.contains { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "%") }
      && SecretText.holdsSecret("?in=" + String(decoding: value, as: UTF8.self))
  }

  private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      if (0x21...0x7E).contains(byte) {
        text.append(byte)
      } else {
        text += PercentEncoding.escape(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
