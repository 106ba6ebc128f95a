import CommandParts
import Foundation
import Operations
import OpshTerminal

/// Writes the few elements of SVG that the pictures have, and keeps where each text stands.
struct SVGBuilder {
  /// Which end of a text its place is.
  enum Anchor: String {
    case start
    case middle
    case end
  }

  /// A rectangle.
  struct Box: Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var right: Double { x + width }
    var bottom: Double { y + height }

    func overlaps(_ other: Box) -> Bool {
      x < other.right && other.x < right && y < other.bottom && other.y < bottom
    }
  }

  /// A text and the room that it takes.
  struct Label: Equatable {
    let text: String
    let isBold: Bool
    let box: Box
  }

  /// The size of every picture: that of a slide.
  static let size = (width: 1600.0, height: 900.0)
  static let margin = 40.0

  let theme: SVGTheme
  private(set) var labels: [Label] = []
  private var body = ""
  private var title = ""
  private var summary = ""
  private var causes: Set<Cause> = []

  init(_ theme: SVGTheme) { self.theme = theme }

  /// Sets what a screen reader reads.
  mutating func describe(title: String, _ summary: String) {
    self.title = title
    self.summary = summary
  }

  /// Writes the title of the picture and what it says below; returns where they end.
  mutating func head(_ title: String, _ note: String) -> Double {
    let room = Self.size.width - 2 * Self.margin
    let size = SVGText.width(of: title, size: 30, isBold: true) <= room ? 30.0 : 22.0
    var y = 34 + size * 0.6
    for line in SVGText.lines(title, room: room, size: size, isBold: true, most: 2) {
      text(line, x: Self.margin, y: y, size: size, isBold: true)
      y += size * SVGText.lineHeight
    }
    guard !note.isEmpty else { return y - size * 0.8 }
    text(
      SVGText.truncated(note, to: room, size: 17), x: Self.margin, y: y - 2, size: 17,
      color: theme.soft)
    return y + 6
  }

  mutating func text(
    _ text: String, x: Double, y: Double, size: Double, isBold: Bool = false,
    color: String? = nil, anchor: Anchor = .start
  ) {
    let text = VisibleText.escape(text)
    let width = SVGText.width(of: text, size: size, isBold: isBold)
    let start = anchor == .start ? x : anchor == .middle ? x - width / 2 : x - width
    labels.append(
      Label(
        text: text, isBold: isBold,
        box: Box(x: start, y: y - size * 0.95, width: width, height: size * 1.2)))
    body +=
      "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" font-size=\"\(Self.number(size))\""
      + (isBold ? " font-weight=\"bold\"" : "")
      + (color.map { " fill=\"\($0)\"" } ?? "")
      + (anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\"")
      + " xml:space=\"preserve\">\(XMLText.escape(text))</text>\n"
  }

  mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, color: String, width: Double = 1
  ) {
    body +=
      "<line x1=\"\(Self.number(x1))\" y1=\"\(Self.number(y1))\" x2=\"\(Self.number(x2))\" "
      + "y2=\"\(Self.number(y2))\" stroke=\"\(color)\""
      + (width == 1 ? "" : " stroke-width=\"\(Self.number(width))\"") + "/>\n"
  }

  mutating func rectangle(
    _ box: Box, fill: String, stroke: String? = nil, strokeWidth: Double = 1, radius: Double = 0,
    title: String? = nil
  ) {
    let attributes =
      "x=\"\(Self.number(box.x))\" y=\"\(Self.number(box.y))\" "
      + "width=\"\(Self.number(box.width))\" height=\"\(Self.number(box.height))\" "
      + "fill=\"\(fill)\"" + (stroke.map { " stroke=\"\($0)\"" } ?? "")
      + (strokeWidth == 1 ? "" : " stroke-width=\"\(Self.number(strokeWidth))\"")
      + (radius > 0 ? " rx=\"\(Self.number(radius))\"" : "")
    body +=
      title.map { "<rect \(attributes)><title>\(Self.escaped($0))</title></rect>\n" }
      ?? "<rect \(attributes)/>\n"
  }

  mutating func circle(_ x: Double, _ y: Double, radius: Double, fill: String, stroke: String) {
    body +=
      "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(Self.number(radius))\" "
      + "fill=\"\(fill)\" stroke=\"\(stroke)\" stroke-width=\"2\"/>\n"
  }

  /// Draws many rectangles of one colour as one element.
  mutating func areas(_ boxes: [Box], fill: String, opacity: Double) {
    let path = boxes.map { box in
      "M\(Self.number(box.x)) \(Self.number(box.y))h\(Self.number(box.width))"
        + "v\(Self.number(box.height))h\(Self.number(-box.width))z"
    }.joined()
    body +=
      "<path d=\"\(path)\" fill=\"\(fill)\""
      + (opacity == 1 ? "" : " fill-opacity=\"\(Self.number(opacity))\"") + "/>\n"
  }

  /// Draws a line along commands of a path.
  mutating func stroke(
    _ commands: [SVGPathCommand], color: String, width: Double = 1, isDashed: Bool = false,
    hasHead: Bool = false
  ) {
    let path = commands.map { command in
      switch command {
      case .move(let point): "M\(Self.number(point.x)) \(Self.number(point.y))"
      case .line(let point): "L\(Self.number(point.x)) \(Self.number(point.y))"
      case .curve(let first, let second, let end):
        "C"
          + [first, second, end].map { "\(Self.number($0.x)) \(Self.number($0.y))" }
          .joined(separator: " ")
      }
    }.joined()
    body +=
      "<path d=\"\(path)\" fill=\"none\" stroke=\"\(color)\""
      + (width == 1 ? "" : " stroke-width=\"\(Self.number(width))\" stroke-linejoin=\"round\"")
      + (isDashed ? " stroke-dasharray=\"6 4\"" : "")
      + (hasHead ? " marker-end=\"url(#head)\"" : "") + "/>\n"
  }

  /// Draws what follows in other coordinates, until ``endScale()``.
  mutating func beginScale(_ scale: Double, x: Double, y: Double) {
    body +=
      "<g transform=\"translate(\(Self.number(x)) \(Self.number(y))) "
      + "scale(\(String(format: "%.4f", scale)))\">\n"
  }

  mutating func endScale() { body += "</g>\n" }

  /// Returns the colour of a cause.
  func color(of cause: Cause) -> String {
    theme == .light ? cause.look.hue.light : cause.look.hue.dark
  }

  /// Returns the fill of a cause, and has the picture define it.
  mutating func paint(_ cause: Cause) -> String {
    causes.insert(cause)
    return cause.look.pattern == nil ? color(of: cause) : "url(#fill-\(cause.rawValue))"
  }

  /// The patterns of the causes that were drawn.
  private var patterns: String {
    Cause.allCases.filter(causes.contains).compactMap { cause in
      guard let pattern = cause.look.pattern else { return nil }
      let color = color(of: cause)
      let (width, height) = (Self.number(pattern.width), Self.number(pattern.height))
      let lines =
        pattern.lines.isEmpty
        ? "" : "<path d=\"\(pattern.lines)\" fill=\"none\" stroke=\"\(color)\"/>"
      let areas = pattern.areas.isEmpty ? "" : "<path d=\"\(pattern.areas)\" fill=\"\(color)\"/>"
      return "<pattern id=\"fill-\(cause.rawValue)\" width=\"\(width)\" height=\"\(height)\" "
        + "patternUnits=\"userSpaceOnUse\"><rect width=\"\(width)\" height=\"\(height)\" "
        + "fill=\"\(color)\" fill-opacity=\"0.25\"/>\(lines)\(areas)</pattern>"
    }.joined(separator: "\n")
  }

  var text: String {
    let (width, height) = (Self.number(Self.size.width), Self.number(Self.size.height))
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" \
      width="\(width)" height="\(height)" font-family="sans-serif" fill="\(theme.ink)" \
      role="img" aria-labelledby="title desc">
      <title id="title">\(Self.escaped(title))</title>
      <desc id="desc">\(Self.escaped(summary))</desc>
      <defs>
      \(patterns)
      <marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" \
      markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="\(theme.line)"/>\
      </marker>
      </defs>
      <rect width="100%" height="100%" fill="\(theme.ground)"/>
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

/// A place in a picture.
struct SVGPoint: Hashable {
  var x: Double
  var y: Double
}

/// A part of a line.
enum SVGPathCommand: Equatable {
  case move(SVGPoint)
  case line(SVGPoint)
  /// A Bézier curve with two control points, and its end.
  case curve(SVGPoint, SVGPoint, SVGPoint)
}
