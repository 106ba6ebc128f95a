package import Operations
import ShellSession
package import OpshTerminal

/// How a cause is written and drawn: in `timeline`, `blame` and `watch`, in exports, pictures and
/// their legends, and on the page.
package struct CauseLook {
  /// A colour on a light and on a dark ground, as `#rrggbb`.
  package struct Hue: Equatable {
    package let light: String
    package let dark: String
  }

  /// A drawing in the hue on a ground that is a tint of it, in tiles; drawings differ without colour.
  package struct Pattern: Equatable {
    package let width: Double
    package let height: Double
    /// Paths of SVG, drawn as lines and as areas; each may be empty.
    package let lines: String
    package let areas: String

    package init(_ width: Double, _ height: Double, _ lines: String = "", areas: String = "") {
      (self.width, self.height, self.lines, self.areas) = (width, height, lines, areas)
    }
  }

  /// In a few words, for a row of a table: `dependency not finished`.
  package let words: String
  /// In a word or two of these, for narrow places: `dependency`.
  package let short: String
  /// A sign of one column in a bar, also without colours.
  package let letter: Character
  /// The colour in a terminal.
  package let style: TextStyle
  package let hue: Hue
  /// Nil for work, which is filled with the hue; such hues differ in lightness.
  package let pattern: Pattern?

  fileprivate init(
    _ words: String, _ short: String, _ letter: Character, _ style: TextStyle, _ hue: Hue,
    _ pattern: Pattern? = nil
  ) {
    (self.words, self.short, self.letter) = (words, short, letter)
    (self.style, self.hue, self.pattern) = (style, hue, pattern)
  }

  fileprivate init(
    _ words: String, _ letter: Character, _ style: TextStyle, _ hue: Hue, _ pattern: Pattern? = nil
  ) {
    self.init(words, words, letter, style, hue, pattern)
  }
}

extension CauseLook.Hue {
  fileprivate static let violet = Self(light: "#6244a0", dark: "#bda8f2")
  fileprivate static let amber = Self(light: "#b27a0c", dark: "#d9a441")
  fileprivate static let orange = Self(light: "#c2571a", dark: "#e88b52")
  fileprivate static let red = Self(light: "#b0221b", dark: "#ff928a")
  fileprivate static let pink = Self(light: "#b03a8c", dark: "#e07bc0")
  fileprivate static let teal = Self(light: "#2b807d", dark: "#58b8b3")
  fileprivate static let slate = Self(light: "#5b7286", dark: "#93abc0")
  fileprivate static let grey = Self(light: "#7c8795", dark: "#97a3b2")
  fileprivate static let green = Self(light: "#1d6b3a", dark: "#2e8b57")
  fileprivate static let navy = Self(light: "#0b3c66", dark: "#3a5888")
  fileprivate static let blue = Self(light: "#2778b5", dark: "#3f9be4")
  fileprivate static let sky = Self(light: "#5aa5d8", dark: "#7fc4f5")
  fileprivate static let pale = Self(light: "#a9d3ef", dark: "#c4e4fb")
}

extension TextStyle {
  fileprivate static let halted = TextStyle(color: .yellow)
  fileprivate static let pending = TextStyle.state(.pending)
  fileprivate static let ready = TextStyle.state(.ready)
  fileprivate static let executing = TextStyle.state(.executing)
}

extension Cause {
  /// How it is written and drawn.
  package var look: CauseLook {
    switch self {
    case .notOnQueue:
      .init("on no queue", "no queue", "o", .ready, .grey, .init(8, 8, "M4 0v4"))
    case .dependency:
      .init(
        "dependency not finished", "dependency", "·", .pending, .violet,
        .init(6, 6, areas: "M1.8 3a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0z"))
    case .delay: .init("delay", "y", .pending, .grey, .init(6, 5, "M0 2.5h6"))
    case .background:
      .init(
        "app in the background", "app background", "z", .halted, .slate,
        .init(10, 6, "M0 2h4M5 4h4"))
    case .barrier:
      .init("barrier", "b", .ready, .slate, .init(6, 6, "M-1-1l8 8M-1 5l2 2M5-1l2 2"))
    case .group:
      .init("group not begun", "g", .ready, .teal, .init(9, 9, "M-1-1l11 11M-1 8l2 2M8-1l2 2"))
    case .queuePaused: .init("queue paused", "p", .halted, .orange, .init(5, 6, "M2.5 0v6"))
    case .widthZero:
      .init("queue of width 0", "width 0", "0", .halted, .orange, .init(9, 6, "M2.5 0v6M5 0v6"))
    case .queueFull:
      .init("queue full", "░", .ready, .amber, .init(7, 7, "M-1 8l9-9M-1 1l2-2M6 8l2-2"))
    case .higherPriority:
      .init("others start first", "others first", "<", .ready, .amber, .init(8, 6, "M0 5l4-4l4 4"))
    case .pace: .init("pace of the queue", "pace", "a", .ready, .orange, .init(11, 6, "M5 0v6"))
    case .exclusive:
      .init(
        "exclusive name taken", "exclusive name", "x", .ready, .pink,
        .init(10, 10, "M-1-1l12 12", areas: "M6 1h3v3h-3z"))
    case .readiness:
      .init(
        "not known to be ready", "not ready", "r", .pending, .pink,
        .init(8, 8, areas: "M0 4a4 4 0 0 1 8 0z"))
    case .threadPool:
      .init(
        "no thread of Foundation's pool free", "thread pool", "k", .ready, .amber,
        .init(8, 8, "M0 4h8M4 0v4"))
    case .foundation:
      .init(
        "Foundation never starts it", "Foundation", "n", .ready, .slate,
        .init(8, 6, "M0 1l4 4l4-4"))
    case .deadlock:
      .init(
        "waits in a cycle", "cycle", "d", .ready, .red,
        .init(8, 8, "M1.5 4a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0"))
    case .starting: .init("about to start", "s", .ready, .grey, .init(12, 12, "M-1 13l14-14"))
    case .bodyWaits:
      .init(
        "body waits for others", "body waits", "w", .halted, .violet,
        .init(8, 8, areas: "M2 2h4v4h-4z"))
    case .backoff:
      .init(
        "pause before a retry", "retry pause", "┄", .halted, .red,
        .init(8, 8, "M0 0l8 8M8 0l-8 8"))
    case .hostPause:
      .init(
        "pause that a server asked for", "server pause", "h", .halted, .pink,
        .init(6, 6, "M3 0v6M0 3h6"))
    case .awaitsFinish:
      .init(
        "waits for finish", "f", .halted, .slate, .init(8, 8, areas: "M0 0h4v4h-4zM4 4h4v4h-4z"))
    case .phaseHeld:
      .init(
        "held at a phase of its work", "held", "m", .halted, .orange,
        .init(8, 6, "M2.5 0v6M5.5 0v6", areas: "M0 2h8v2h-8z"))
    case .members:
      .init("members of the group", "members", "▁", .executing, .green, .init(14, 6, "M0 3h7"))
    case .requestQueued:
      .init(
        "request: others under way", "others under way", "q", .executing, .amber,
        .init(4, 4, "M-1 5l6-6"))
    case .lookup: .init("request: lookup of the host", "lookup", "l", .executing, .navy)
    case .connect: .init("request: connecting", "connecting", "c", .executing, .blue)
    case .tls: .init("request: TLS handshake", "TLS", "t", .executing, .sky)
    case .sending:
      .init(
        "request: sending the body", "sending", "▲", .executing, .blue,
        .init(6, 9, "M0 2.5h6M0 5h6"))
    case .firstByte:
      .init("request: waiting for the first byte", "first byte", "▒", .executing, .pale)
    case .receiving:
      .init(
        "request: receiving the body", "receiving", "▓", .executing, .teal,
        .init(6, 6, areas: "M0 0h6v4h-6z"))
    case .work: .init("work", "█", .executing, .green)
    }
  }
}
