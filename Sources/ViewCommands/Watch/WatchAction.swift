import OpshTerminal

/// What a key of `watch` does.
enum WatchAction: Equatable {
  case leave
  case move(Int)
  case page(Int)
  case first, last
  case nextQueue
  case pause, resume, step, cancel
  case raise, lower
  case filter, order, why, show, freeze, help
  /// On the virtual clock: lets time pass.
  case time(String)
  /// On the virtual clock: takes a step.
  case next

  /// The action of a key; nil for a key without one.
  init?(_ key: TerminalKey, isVirtual: Bool) {
    switch key {
    case .escape, .interrupt: self = .leave
    case .up: self = .move(-1)
    case .down: self = .move(1)
    case .pageUp: self = .page(-1)
    case .pageDown: self = .page(1)
    case .home: self = .first
    case .end: self = .last
    case .tab: self = .nextQueue
    case .character(let character):
      guard let action = Self.action(of: character, isVirtual: isVirtual) else { return nil }
      self = action
    case .enter: self = .show
    case .left, .right, .backspace, .other, .paste: return nil
    }
  }

  private static func action(of character: Character, isVirtual: Bool) -> WatchAction? {
    switch character {
    case "q": .leave
    case "k": .move(-1)
    case "j": .move(1)
    case "g": .first
    case "G": .last
    case "p": .pause
    case "r": .resume
    case "s": .step
    case "c": .cancel
    case "+", "=": .raise
    case "-": .lower
    case "/": .filter
    case "o": .order
    case "w": .why
    case "f": .freeze
    case "?", "h": .help
    case "n" where isVirtual: .next
    case "t" where isVirtual: .time("sleep 100ms")
    case "T" where isVirtual: .time("sleep 10s")
    default: nil
    }
  }
}
