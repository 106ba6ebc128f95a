import CommandParts
import CommandParts
import Foundation
import Operations
import OpshTerminal

/// Writes the few elements of SVG that the pictures have.
struct SVGBuilder {
  private var body = ""
  private let width: Double
  private let height: Double
  private var title = ""
  private var summary = ""
  private var causes: Set<Cause> = []

  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// Sets what a screen reader reads.
  mutating func describe(title: String, _ summary: String) {
    self.title = title
    self.summary = summary
  }

  mutating func text(
    _ text: String, x: Double, y: Double, size: Double, weight: String = "normal",
    color: String = "#1a1a1a", anchor: String = "start", family: String = "sans-serif"
  ) {
    body +=
      "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" font-size=\"\(Self.number(size))\" "
      + "font-family=\"\(family)\" font-weight=\"\(weight)\" fill=\"\(color)\" "
      + "text-anchor=\"\(anchor)\" xml:space=\"preserve\">\(Self.escaped(text))</text>\n"
  }

  mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, color: String
  ) {
    body +=
      "<line x1=\"\(Self.number(x1))\" y1=\"\(Self.number(y1))\" x2=\"\(Self.number(x2))\" "
      + "y2=\"\(Self.number(y2))\" stroke=\"\(color)\"/>\n"
  }

  /// A curve from the bottom of one box to the top of another, with an arrow head.
  mutating func arrow(
    from start: (x: Double, y: Double), to end: (x: Double, y: Double), dashed: Bool
  ) {
    let middle = (start.y + end.y) / 2
    let path =
      "M \(Self.number(start.x)) \(Self.number(start.y)) "
      + "C \(Self.number(start.x)) \(Self.number(middle)), "
      + "\(Self.number(end.x)) \(Self.number(middle)), \(Self.number(end.x)) \(Self.number(end.y))"
    body +=
      "<path d=\"\(path)\" fill=\"none\" stroke=\"#666666\" marker-end=\"url(#head)\""
      + (dashed ? " stroke-dasharray=\"6 4\"" : "") + "/>\n"
  }

  mutating func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String,
    stroke: String? = nil, radius: Double = 0, title: String?
  ) {
    let attributes =
      "x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))\" "
      + "height=\"\(Self.number(height))\" fill=\"\(fill)\""
      + (stroke.map { " stroke=\"\($0)\"" } ?? "")
      + (radius > 0 ? " rx=\"\(Self.number(radius))\"" : "")
    body +=
      title.map { "<rect \(attributes)><title>\(Self.escaped($0))</title></rect>\n" }
      ?? "<rect \(attributes)/>\n"
  }

  /// Returns the fill of a cause, and has the picture define it.
  mutating func paint(_ cause: Cause) -> String {
    causes.insert(cause)
    return cause.look.pattern == nil ? cause.look.hue.light : "url(#fill-\(cause.rawValue))"
  }

  /// The patterns of the causes that were drawn.
  private var patterns: String {
    Cause.allCases.filter(causes.contains).compactMap { cause in
      let look = cause.look
      guard let pattern = look.pattern else { return nil }
      let (width, height) = (Self.number(pattern.width), Self.number(pattern.height))
      let lines =
        pattern.lines.isEmpty
        ? "" : "<path d=\"\(pattern.lines)\" fill=\"none\" stroke=\"\(look.hue.light)\"/>"
      let areas =
        pattern.areas.isEmpty ? "" : "<path d=\"\(pattern.areas)\" fill=\"\(look.hue.light)\"/>"
      return "<pattern id=\"fill-\(cause.rawValue)\" width=\"\(width)\" height=\"\(height)\" "
        + "patternUnits=\"userSpaceOnUse\"><rect width=\"\(width)\" height=\"\(height)\" "
        + "fill=\"\(look.hue.light)\" fill-opacity=\"0.15\"/>\(lines)\(areas)</pattern>"
    }.joined(separator: "\n")
  }

  var text: String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.number(width)) \
    \(Self.number(height))" width="\(Self.number(width))" height="\(Self.number(height))" \
    role="img" aria-labelledby="title desc">
    <title id="title">\(Self.escaped(title))</title>
    <desc id="desc">\(Self.escaped(summary))</desc>
    <defs>
    \(patterns)
    <marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" \
    orient="auto"><path d="M0 0 L8 4 L0 8 Z" fill="#666666"/></marker>
    </defs>
    <rect width="100%" height="100%" fill="#ffffff"/>
    \(body)</svg>

    """
  }

  /// A number with at most two decimals, the same on every system.
  private static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    let sign = hundredths < 0 ? "-" : ""
    guard rest > 0 else { return "\(sign)\(whole)" }
    return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// Text of an element: the characters of XML are escaped, and what XML 1.0 cannot hold is visible.
  private static func escaped(_ text: String) -> String {
    XMLText.escape(VisibleText.escape(text))
  }
}
