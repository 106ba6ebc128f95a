import Operations
import ShellSession
import Terminal

extension Cause {
  /// The code of `--json`.
  var code: String { rawValue }

  /// What stands for it in a bar, also without colours.
  var sign: Character {
    switch self {
    case .notOnQueue: "o"
    case .dependency: "·"
    case .delay: "y"
    case .group: "g"
    case .queuePaused: "p"
    case .widthZero: "0"
    case .queueFull, .higherPriority: "░"
    case .barrier: "b"
    case .exclusive: "x"
    case .pace: "a"
    case .foundation: "n"
    case .deadlock: "d"
    case .starting: "s"
    case .bodyWaits: "w"
    case .backoff: "┄"
    case .hostPause: "h"
    case .awaitsFinish: "f"
    case .members: "─"
    case .work: "█"
    case .requestQueued: "q"
    case .lookup: "l"
    case .connect: "c"
    case .tls: "t"
    case .sending: "▲"
    case .firstByte: "▒"
    case .receiving: "▓"
    }
  }

  var style: TextStyle {
    switch self {
    case .backoff, .hostPause, .queuePaused, .widthZero, .awaitsFinish, .bodyWaits:
      TextStyle(color: .yellow)
    case .dependency, .delay: .state(.pending)
    case .work, .members, .lookup, .connect, .tls, .sending, .firstByte, .receiving:
      .state(.executing)
    default: .state(.ready)
    }
  }

  /// Its place in a legend: in the order of a life.
  var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// In a few words, for a row of a table.
  var words: String {
    switch self {
    case .notOnQueue: "on no queue"
    case .dependency: "dependency not finished"
    case .delay: "delay"
    case .group: "group not begun"
    case .queuePaused: "queue paused"
    case .widthZero: "queue of width 0"
    case .queueFull: "queue full"
    case .higherPriority: "others start first"
    case .barrier: "barrier"
    case .exclusive: "exclusive name taken"
    case .pace: "pace of the queue"
    case .foundation: "Foundation never starts it"
    case .deadlock: "waits in a cycle"
    case .starting: "about to start"
    case .bodyWaits: "body waits for others"
    case .backoff: "pause before another attempt"
    case .hostPause: "server asked to wait"
    case .awaitsFinish: "nothing called finish"
    case .members: "members of the group"
    case .work: "work"
    case .requestQueued: "request: others under way"
    case .lookup: "request: lookup of the host"
    case .connect: "request: connecting"
    case .tls: "request: TLS handshake"
    case .sending: "request: sending the body"
    case .firstByte: "request: waiting for the first byte"
    case .receiving: "request: receiving the body"
    }
  }
}
