import COpshSystem
import Foundation

/// When colour is used.
public enum ColorMode: String, Sendable, CaseIterable {
  /// If the terminal supports it and the user has not disabled it.
  case auto
  /// Always, also in files and pipes.
  case always
  /// Never.
  case never
}

/// The capabilities of the process's terminal.
public struct TerminalCapabilities: Sendable, Equatable {
  /// Whether a line editor can work: input and output are the same terminal, which can move its
  /// cursor.
  public var isInteractive: Bool
  /// Whether output is coloured.
  public var usesColor: Bool
  /// Whether characters beyond ASCII may be shown.
  public var isUTF8: Bool
  /// True if the terminal drops control strings that it does not know, such as a title.
  public var takesStrings: Bool
  /// The width of the window; 80 where it is unknown.
  public var columns: Int
  /// The height of the window; 24 where it is unknown.
  public var rows: Int

  /// Creates a description.
  public init(
    isInteractive: Bool, usesColor: Bool, isUTF8: Bool, takesStrings: Bool = false,
    columns: Int = 80,
    rows: Int = 24
  ) {
    self.isInteractive = isInteractive
    self.usesColor = usesColor
    self.isUTF8 = isUTF8
    self.takesStrings = takesStrings
    self.columns = columns
    self.rows = rows
  }

  /// Detects the capabilities of the terminal.
  ///
  /// `NO_COLOR` with any value disables colour, as is the convention; `--color always` overrides
  /// it, because it is more specific.
  ///
  /// - Parameters:
  ///   - colorMode: What the user asked for.
  ///   - environment: The environment variables; nil for those of the process.
  ///   - input: The descriptor that is read.
  ///   - output: The descriptor that is written.
  /// - Returns: The description at this moment.
  public static func detect(
    colorMode: ColorMode = .auto,
    environment: [String: String]? = nil,
    input: Int32 = 0, output: Int32 = 1
  ) -> TerminalCapabilities {
    let environment = environment ?? ProcessInfo.processInfo.environment
    let term = environment["TERM"] ?? ""
    let isCapable = !term.isEmpty && term != "dumb"
    let outputIsTerminal = isatty(output) == 1
    let declinesColor = !(environment["NO_COLOR"] ?? "").isEmpty
    let usesColor =
      switch colorMode {
      case .always: true
      case .never: false
      case .auto: outputIsTerminal && isCapable && !declinesColor
      }
    // The consoles of systems, and terminals of hardware, show the rest of an unknown string.
    let showsStrings = ["linux", "vt", "ansi", "cons", "sun", "wyse"].contains {
      term.hasPrefix($0)
    }
    let size = windowSize(of: output)
    return TerminalCapabilities(
      isInteractive: isCapable && outputIsTerminal && isatty(input) == 1,
      usesColor: usesColor, isUTF8: CharacterEncoding.environmentIsUTF8,
      takesStrings: isCapable && !showsStrings, columns: size?.columns ?? 80, rows: size?.rows ?? 24
    )
  }

  /// Returns the size of the window of a descriptor.
  ///
  /// - Parameter descriptor: A terminal's descriptor.
  /// - Returns: The size, or nil where there is no terminal or it does not say.
  public static func windowSize(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var columns: UInt16 = 0
    var rows: UInt16 = 0
    guard opsh_window_size(descriptor, &columns, &rows) == 0, columns > 0, rows > 0 else {
      return nil
    }
    return (Int(columns), Int(rows))
  }
}
