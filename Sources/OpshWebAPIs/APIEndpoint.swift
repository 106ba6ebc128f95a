/// An endpoint of a web API: one path, or several of the same kind, that a client asks for a result.
///
/// All programs share this description. The client makes requests from it, the shell derives its
/// commands and tables, and the practice server its routes and its checks of parameters.
public protocol APIEndpoint: Sendable {
  /// The name in commands, such as `questions` in `fetch questions`.
  static var name: String { get }
  /// The word for one item of the result.
  static var noun: String { get }
  /// The beginning of the path: `/`, or with a version.
  static var root: String { get }
  /// The rest of the path, unless a parameter has a path of its own.
  static var path: String { get }
  /// The parameters, in the order of a request.
  static var parameters: [any APIParameterDeclaration] { get }
}

extension APIEndpoint {
  /// A slash.
  public static var root: String { "/" }
  /// The name.
  public static var path: String { name }
  /// The name without its plural.
  public static var noun: String { String(name.dropLast()) }
}

/// A column of the table of a result.
public struct APIColumn<Item>: Sendable {
  /// The width of a column, and the alignment of its texts.
  public enum Layout: Sendable {
    /// As wide as its longest text.
    case leading
    /// The same, for numbers.
    case trailing
    /// As wide as its longest text, up to a number of columns.
    case upTo(Int)
    /// As the others, but it shrinks if the table is too wide.
    case flexible
  }

  /// The look of a text.
  public enum Style: Sendable {
    /// Like all others.
    case plain
    /// Less prominent than the others.
    case dim
    /// Highlighted: an answer was accepted.
    case good
  }

  /// The title.
  public let title: String
  /// The layout.
  public let layout: Layout
  /// Returns the look of the text of an item.
  public let style: @Sendable (Item) -> Style
  /// Returns the text of an item; nil if it is unknown.
  public let text: @Sendable (Item) -> String?

  /// Creates a column.
  public init(
    _ title: String, _ layout: Layout = .leading,
    style: @escaping @Sendable (Item) -> Style = { _ in .plain },
    text: @escaping @Sendable (Item) -> String?
  ) {
    (self.title, self.layout, self.style, self.text) = (title, layout, style, text)
  }
}
