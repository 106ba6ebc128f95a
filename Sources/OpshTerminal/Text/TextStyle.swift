/// The style of a piece of text.
public struct TextStyle: Sendable, Equatable {
  /// The colour of the characters; nil for the terminal's own.
  public var color: TextColor?
  /// Whether the characters are bold.
  public var bold: Bool
  /// Whether the characters are fainter than usual.
  public var dim: Bool
  /// Whether the characters are underlined.
  public var underlined: Bool
  /// Whether foreground and background are exchanged.
  public var reversed: Bool

  /// The look of text without any style.
  public static let plain: TextStyle = TextStyle()
  /// Bold text.
  public static let bold: TextStyle = TextStyle(bold: true)
  /// Faint text.
  public static let dim: TextStyle = TextStyle(dim: true)

  /// Creates a style.
  public init(
    color: TextColor? = nil, bold: Bool = false, dim: Bool = false, underlined: Bool = false,
    reversed: Bool = false
  ) {
    self.color = color
    self.bold = bold
    self.dim = dim
    self.underlined = underlined
    self.reversed = reversed
  }

  /// The sequence that switches to this style from a plain one; empty for the plain style.
  var sequence: String {
    var codes: [String] = []
    if bold { codes.append("1") }
    if dim { codes.append("2") }
    if underlined { codes.append("4") }
    if reversed { codes.append("7") }
    if let color { codes.append(color.parameters) }
    return codes.isEmpty ? "" : "\u{1B}[" + codes.joined(separator: ";") + "m"
  }

  /// The sequence that switches every style off.
  static let reset = "\u{1B}[0m"
}

/// The colour of characters.
///
/// What is printed has only the named ones, because the user has chosen how they look on the
/// background in use; the others are for a theme that the user has chosen.
public enum TextColor: Sendable, Hashable {
  case red, green, yellow, blue, magenta, cyan
  /// A colour of the palette of 256.
  case palette(UInt8)
  /// Red, green and blue.
  case rgb(UInt8, UInt8, UInt8)

  /// The parameters of the sequence that selects it.
  var parameters: String {
    switch self {
    case .red: "31"
    case .green: "32"
    case .yellow: "33"
    case .blue: "34"
    case .magenta: "35"
    case .cyan: "36"
    case .palette(let index): "38;5;\(index)"
    case .rgb(let red, let green, let blue): "38;2;\(red);\(green);\(blue)"
    }
  }
}
