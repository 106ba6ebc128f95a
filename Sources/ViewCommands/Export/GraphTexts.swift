import Operations
import OpshSupport
import OpshTerminal

/// The dependencies as a graph in the DOT language of Graphviz.
///
/// The grammar and the escapes are those of <https://graphviz.org/doc/info/lang.html>.
struct DOTText {
  let text: String

  init(of session: ExportedSession) {
    var lines = [
      "digraph opsh {", "  rankdir=TB;",
      "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];",
    ]
    let known = session.rowsByID
    for row in session.rows {
      let label = "\(Self.escaped(session.label(of: row)))\\n\(Self.escaped(row.note))"
      lines.append(
        "  n\(row.id) [label=\"\(label)\", fillcolor=\"\(row.tone().fill)\", "
          + "color=\"\(row.tone().line)\"];")
    }
    for row in session.rows {
      for edge in row.dependencies where known[edge.id] != nil {
        let policy = edge.policy == .run ? "" : " [label=\"\(edge.policy.rawValue)\"]"
        lines.append("  n\(edge.id) -> n\(row.id)\(policy);")
      }
    }
    text = lines.joined(separator: "\n") + "\n}\n"
  }

  /// The text between double quotes: a backslash would begin an escape.
  private static func escaped(_ text: String) -> String {
    VisibleText.escape(text).replacing(scalars: ["\\": "\\\\", "\"": "\\\""])
  }
}

/// The dependencies as a flowchart for Mermaid, which Markdown pages draw.
///
/// The syntax is that of <https://mermaid.js.org/syntax/flowchart.html>.
struct MermaidText {
  let text: String

  init(of session: ExportedSession) {
    var lines = ["flowchart TB"]
    let known = session.rowsByID
    for row in session.rows {
      let label = "\(Self.escaped(session.label(of: row)))<br/>\(Self.escaped(row.note))"
      lines.append("  n\(row.id)[\"\(label)\"]")
    }
    for row in session.rows {
      for edge in row.dependencies where known[edge.id] != nil {
        let arrow = edge.policy == .run ? "-->" : "-->|\(edge.policy.rawValue)|"
        lines.append("  n\(edge.id) \(arrow) n\(row.id)")
      }
    }
    text = lines.joined(separator: "\n") + "\n"
  }

  /// Text inside of quotes: characters that Mermaid or HTML would take for its own are written as
  /// numbers, in Mermaid's form without '&'.
  private static func escaped(_ text: String) -> String {
    VisibleText.escape(text).unicodeScalars.map { scalar in
      "\"#<>&`[](){}|;\\".unicodeScalars.contains(scalar)
        ? "#\(scalar.value);" : String(Character(scalar))
    }.joined()
  }
}

extension ExportedSession.Row {
  /// Its outcome or state, for the second line of a node.
  var note: String { outcome ?? state.rawValue }

  /// Two colours whose lightness tells states apart in grey as well.
  func tone(_ theme: SVGTheme = .light) -> (fill: String, line: String) {
    let isLight = theme == .light
    return switch outcome {
    case "succeeded": isLight ? ("#d5ead8", "#2e7d43") : ("#17402a", "#7fd39b")
    case "failed": isLight ? ("#f3c1bb", "#a3281b") : ("#5c1f1a", "#ff9d92")
    case "cancelled": isLight ? ("#e6e6e6", "#6b6b6b") : ("#2c323b", "#a8b2be")
    case "skipped": isLight ? ("#f2ecd0", "#7d681c") : ("#433a17", "#e0c866")
    default:
      switch (state, isLight) {
      case (.executing, true): ("#bcd6f2", "#1f5f9e")
      case (.executing, false): ("#17406b", "#8ec3f7")
      case (_, true): ("#ffffff", "#444444")
      case (_, false): ("#14181f", "#c3ccd6")
      }
    }
  }
}
