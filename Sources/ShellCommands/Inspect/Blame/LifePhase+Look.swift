import Operations
import ShellSession
import Terminal

extension LifePhase.Kind {
  /// What stands for it in a bar, also without colours.
  var sign: Character {
    switch self {
    case .cause(let cause): cause.sign
    case .queued: "q"
    case .lookup: "l"
    case .connect: "c"
    case .tls: "t"
    case .sending: "▲"
    case .firstByte: "▒"
    case .body: "▓"
    }
  }

  var style: TextStyle {
    guard case .cause(let cause) = self else {
      return .state(self == .queued ? .ready : .executing)
    }
    switch cause {
    case .work, .members: return .state(.executing)
    case .backoff, .hostPause, .queuePaused, .widthZero, .awaitsFinish:
      return TextStyle(color: .yellow)
    case .dependency, .delay: return .state(.pending)
    default: return .state(.ready)
    }
  }

  /// Its place in a legend: in the order of a life.
  var place: Int {
    switch self {
    case .cause(let cause): LifeSpan.Cause.allCases.firstIndex(of: cause) ?? 0
    case .queued: 99
    case .lookup: 100
    case .connect: 101
    case .tls: 102
    case .sending: 103
    case .firstByte: 104
    case .body: 105
    }
  }

  /// In a few words, for a row of a table.
  var words: String {
    switch self {
    case .cause(let cause): cause.words
    case .queued: "request: others under way"
    case .lookup: "request: lookup of the host"
    case .connect: "request: connecting"
    case .tls: "request: TLS handshake"
    case .sending: "request: sending the body"
    case .firstByte: "request: waiting for the first byte"
    case .body: "request: receiving the body"
    }
  }
}

extension LifeSpan.Cause {
  fileprivate var sign: Character {
    switch self {
    case .dependency: "·"
    case .delay: "y"
    case .group: "g"
    case .queuePaused: "p"
    case .widthZero: "0"
    case .queueFull: "░"
    case .barrier: "b"
    case .exclusive: "x"
    case .pace: "a"
    case .starting: "s"
    case .backoff: "┄"
    case .hostPause: "h"
    case .awaitsFinish: "f"
    case .members: "─"
    case .work: "█"
    }
  }

  fileprivate var words: String {
    switch self {
    case .dependency: "dependency not finished"
    case .delay: "delay"
    case .group: "group not begun"
    case .queuePaused: "queue paused"
    case .widthZero: "queue of width 0"
    case .queueFull: "queue full"
    case .barrier: "barrier"
    case .exclusive: "exclusive name taken"
    case .pace: "pace of the queue"
    case .starting: "about to start"
    case .backoff: "pause before another attempt"
    case .hostPause: "server asked to wait"
    case .awaitsFinish: "nothing called finish"
    case .members: "members of the group"
    case .work: "work"
    }
  }
}
