import ShellLanguage
import ShellSession
import OpshTerminal

/// The styles of a line that is being typed.
///
/// Colour is never the only sign of what is wrong or open: that is underlined as well.
struct LineTheme {
  /// What has a style.
  enum Element: Hashable {
    case part(TypedText.Role)
    /// A word that an operation or a queue is called by.
    case name
    case error
    /// A quote, a brace or a parenthesis that nothing closes yet.
    case unclosed
    /// The two signs of a pair at one of which the cursor is.
    case pair
    case suggestion
  }

  /// How many colours a terminal has.
  enum Depth {
    case basic
    case palette
    case full

    init(environment: [String: String]) {
      let term = environment["TERM"] ?? ""
      if ["truecolor", "24bit"].contains(environment["COLORTERM"]) || term.hasSuffix("-direct") {
        self = .full
      } else {
        self = term.contains("256color") ? .palette : .basic
      }
    }
  }

  private let colors: [Element: UInt32]
  private let depth: Depth

  /// Creates the styles; nil for `off`.
  ///
  /// - Parameters:
  ///   - choice: What `set theme` has chosen.
  ///   - environment: What says how many colours there are, and what the background is.
  init?(_ choice: ThemeChoice, environment: [String: String]) {
    let choice = choice == .auto ? Self.detected(in: environment) : choice
    switch choice {
    case .dark: colors = Self.dark
    case .light: colors = Self.light
    case .basic, .auto: colors = [:]
    case .off: return nil
    }
    let available = Depth(environment: environment)
    depth = colors.isEmpty ? .basic : available
  }

  func style(of element: Element) -> TextStyle {
    var style = Self.basic[element] ?? .plain
    guard depth != .basic, let value = colors[element] else { return style }
    style.color = depth == .full ? Self.rgb(value) : .palette(Self.paletteIndex(of: value))
    style.dim = false
    return style
  }

  /// The theme for a background that the terminal names, as `15;0`: the last number is its colour.
  private static func detected(in environment: [String: String]) -> ThemeChoice {
    let fields = environment["COLORFGBG"]?.split(separator: ";")
    guard let background = fields?.last.flatMap({ Int($0) }) else { return .basic }
    return background < 7 || background == 8 ? .dark : .light
  }

  private static let basic: [Element: TextStyle] = [
    .part(.command): .bold, .part(.keyword): TextStyle(color: .magenta),
    .part(.option): TextStyle(color: .cyan), .part(.string): TextStyle(color: .green),
    .part(.variable): TextStyle(color: .yellow), .part(.comment): .dim,
    .name: TextStyle(color: .green, bold: true),
    .error: TextStyle(color: .red, underlined: true),
    .unclosed: TextStyle(color: .yellow, bold: true, underlined: true),
    .pair: TextStyle(bold: true, underlined: true), .suggestion: .dim,
  ]

  private static let dark: [Element: UInt32] = [
    .part(.command): 0x87AFFF, .part(.keyword): 0xD787FF, .part(.option): 0x5FD7D7,
    .part(.string): 0xAFD787, .part(.variable): 0xFFD787, .part(.value): 0xFFAF87,
    .part(.comment): 0x949494, .name: 0x87FFAF, .error: 0xFF5F5F, .unclosed: 0xFFD75F,
    .suggestion: 0x8A8A8A,
  ]

  private static let light: [Element: UInt32] = [
    .part(.command): 0x005FAF, .part(.keyword): 0x8700AF, .part(.option): 0x005F5F,
    .part(.string): 0x005F00, .part(.variable): 0x875F00, .part(.value): 0xAF0000,
    .part(.comment): 0x626262, .name: 0x005F5F, .error: 0xD70000, .unclosed: 0x875F00,
    .suggestion: 0x767676,
  ]

  private static func rgb(_ value: UInt32) -> TextColor {
    let bytes = components(of: value)
    return .rgb(bytes[0], bytes[1], bytes[2])
  }

  private static func components(of value: UInt32) -> [UInt8] {
    [16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// The colour of the palette that is nearest: of its cube of 6 × 6 × 6, or of its 24 greys.
  private static func paletteIndex(of value: UInt32) -> UInt8 {
    let parts = components(of: value).map(Int.init)
    if parts[0] == parts[1], parts[1] == parts[2], (8...238).contains(parts[0]) {
      return UInt8(232 + (parts[0] - 8 + 5) / 10)
    }
    // The steps are 0, 95, 135, 175, 215 and 255.
    let steps = parts.map { $0 < 48 ? 0 : $0 < 115 ? 1 : ($0 - 35) / 40 }
    return UInt8(16 + 36 * steps[0] + 6 * steps[1] + steps[2])
  }
}
