import COpshSystem
import Foundation

/// The process's character encoding, as the C library's wide-character functions need it.
enum CharacterEncoding {
  /// Whether the environment selects UTF-8; false in the C locale.
  ///
  /// Reading it sets the `LC_CTYPE` locale of the process, which nothing else does: libedit
  /// and `wcwidth` know only ASCII before. Where the environment asks for a single-byte
  /// encoding, C.UTF-8 is set all the same, because input is always decoded as UTF-8.
  static let environmentIsUTF8: Bool = {
    let wanted = setlocale(LC_CTYPE, "") != nil && codesetIsUTF8
    if !wanted {
      _ = setlocale(LC_CTYPE, "C.UTF-8") ?? setlocale(LC_CTYPE, "en_US.UTF-8")
    }
    return wanted
  }()

  private static var codesetIsUTF8: Bool {
    guard let name = nl_langinfo(Int32(CODESET)) else { return false }
    let codeset = String(cString: name).uppercased()
    return codeset == "UTF-8" || codeset == "UTF8"
  }

  /// The columns of a printable scalar: from the C library, or from our table if it has no value.
  static func columns(of scalar: Unicode.Scalar) -> Int {
    _ = environmentIsUTF8
    let width = wcwidth(wchar_t(scalar.value))
    if width >= 0 { return Int(width) }
    // The C library's tables end with the Unicode version it was built for, and know nothing
    // at all where no UTF-8 locale is installed.
    return wideRanges.contains { $0.contains(scalar.value) } ? 2 : fallbackColumns(of: scalar)
  }

  private static func fallbackColumns(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return 1
    }
  }

  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18DFF, 0x1B000...0x1B2FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
    0x1F900...0x1FAFF, 0x20000...0x3FFFD,
  ]
}
