import JSON
import Operations
import ShellOutput

/// The causes as the page shows them: words, short form, letter, colours and pattern of each.
enum CauseTable {
  /// The table as one JSON object by codes, in the order of the legend.
  static var json: JSONValue {
    .object(
      Cause.allCases.map { cause in
        let look = look(of: cause)
        return .init(
          name: cause.code,
          value: .members([
            "words": .string(cause.words), "short": .string(cause.shortWords),
            "letter": .string(String(cause.sign)), "isExecuting": .boolean(cause.isExecuting),
            "isWork": .boolean(cause.isWork), "light": .string(look.hue.light),
            "dark": .string(look.hue.dark), "pattern": pattern(of: look),
          ]))
      })
  }

  /// The tile of a pattern: lines and areas, as paths of SVG; null where the colour says enough.
  private static func pattern(of look: Look) -> JSONValue {
    guard look.lines != nil || look.areas != nil else { return .null }
    return .members([
      "width": .number(look.width), "height": .number(look.height),
      "lines": .string(look.lines ?? ""), "areas": .string(look.areas ?? ""),
    ])
  }

  private typealias Look = (hue: Hue, width: Int, height: Int, lines: String?, areas: String?)

  private static func look(of cause: Cause) -> Look {
    switch cause {
    case .notOnQueue: (.grey, 8, 8, "M4 0v8M0 4h8", nil)
    case .dependency: (.violet, 6, 6, nil, "M1.8 3a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0z")
    case .delay: (.grey, 6, 5, "M0 2.5h6", nil)
    case .barrier: (.slate, 6, 6, "M-1-1l8 8M-1 5l2 2M5-1l2 2", nil)
    case .group: (.teal, 8, 8, "M-1-1l10 10M-1 7l2 2M7-1l2 2", nil)
    case .queuePaused: (.orange, 5, 6, "M2.5 0v6", nil)
    case .widthZero: (.orange, 9, 6, "M2.5 0v6M5 0v6", nil)
    case .queueFull: (.amber, 7, 7, "M-1 8l9-9M-1 1l2-2M6 8l2-2", nil)
    case .higherPriority: (.amber, 8, 8, "M0 6l4-4l4 4", nil)
    case .pace: (.orange, 10, 6, "M5 0v6", nil)
    case .exclusive:
      (.pink, 10, 10, "M-1-1l12 12", "M6.3 2.5a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0z")
    case .foundation: (.red, 6, 6, "M0 3h6M3 0v6", nil)
    case .deadlock: (.red, 8, 8, nil, "M0 0h4v4h-4zM4 4h4v4h-4z")
    case .starting: (.grey, 10, 10, "M-1 11l12-12", nil)
    case .bodyWaits: (.violet, 8, 8, nil, "M0 0h4v4h-4zM4 4h4v4h-4z")
    case .backoff: (.red, 8, 8, "M0 0l8 8M8 0l-8 8", nil)
    case .hostPause: (.pink, 6, 6, "M3 0v6M0 3h6", nil)
    case .awaitsFinish: (.slate, 8, 8, nil, "M0 0h4v4h-4zM4 4h4v4h-4z")
    case .members: (.green, 14, 6, "M0 3h7", nil)
    case .requestQueued: (.amber, 6, 6, "M0 6l6-6", nil)
    case .lookup: (.blue1, 6, 6, nil, nil)
    case .connect: (.blue2, 6, 6, nil, nil)
    case .tls: (.blue3, 6, 6, nil, nil)
    case .sending: (.blue3, 6, 6, "M0 3h6", nil)
    case .firstByte: (.blue4, 6, 6, nil, nil)
    case .receiving: (.blue5, 6, 6, nil, nil)
    case .work: (.work, 6, 6, nil, nil)
    }
  }

  private struct Hue {
    let light: String
    let dark: String

    static let violet = Hue(light: "#6244a0", dark: "#bda8f2")
    static let amber = Hue(light: "#b27a0c", dark: "#d9a441")
    static let orange = Hue(light: "#c2571a", dark: "#e88b52")
    static let red = Hue(light: "#b0221b", dark: "#ff928a")
    static let pink = Hue(light: "#b03a8c", dark: "#e07bc0")
    static let teal = Hue(light: "#2b807d", dark: "#58b8b3")
    static let slate = Hue(light: "#5b7286", dark: "#93abc0")
    static let grey = Hue(light: "#7c8795", dark: "#97a3b2")
    static let green = Hue(light: "#3d9a5f", dark: "#3d9a5f")
    static let work = Hue(light: "#2e8b57", dark: "#2e8b57")
    static let blue1 = Hue(light: "#0b3c66", dark: "#4a6fa5")
    static let blue2 = Hue(light: "#15629a", dark: "#2f8fd8")
    static let blue3 = Hue(light: "#3f93cf", dark: "#6db8ee")
    static let blue4 = Hue(light: "#8fc3e8", dark: "#b5dcf8")
    static let blue5 = Hue(light: "#2f9d8f", dark: "#2f9d8f")
  }
}

extension Cause {
  /// In a word or two, for a legend or a card.
  fileprivate var shortWords: String {
    switch self {
    case .dependency: "dependency"
    case .group: "group"
    case .widthZero: "width 0"
    case .exclusive: "exclusive name"
    case .pace: "pace"
    case .starting: "starting"
    case .bodyWaits: "body waits"
    case .backoff: "backoff"
    case .hostPause: "host pause"
    case .awaitsFinish: "awaits finish"
    case .members: "members"
    case .requestQueued: "others under way"
    case .lookup: "lookup"
    case .connect: "connect"
    case .tls: "TLS"
    case .sending: "sending"
    case .firstByte: "first byte"
    case .receiving: "body"
    default: words
    }
  }
}
