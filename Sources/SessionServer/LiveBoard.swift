import Foundation
import OpshHTTPServing
import OpshLocking

/// What the thread of a live server and the others share.
final class LiveBoard: Sendable {
  /// The end of serving.
  struct Ending {
    /// The exit status of the run; nil if the session goes on.
    let status: Int32?
  }

  private struct State {
    var followers = 0
    /// How many of the followers may steer the session.
    var steeringFollowers = 0
    /// When the last of these left, in nanoseconds; 0 before one did.
    var steeringEnd: UInt64 = 0
    /// Whether an action of a page was done.
    var hasActed = false
    var ending: Ending?
    var hasEnded = false
    var server: HTTPServer?
  }

  private let state = Locked(State())
  private let ended = DispatchSemaphore(value: 0)

  /// How many clients follow the session.
  var followers: Int { state.withLock { $0.followers } }

  /// How long a page counts as following that has left: it may be loading again, and a browser opens
  /// a lost connection for events again after some seconds.
  private static let reloadInterval: UInt64 = 5_000_000_000

  /// Whether a page that has steered the session still follows it.
  var isSteered: Bool {
    state.withLock { state in
      guard state.hasActed, state.steeringFollowers == 0 else { return state.hasActed }
      // Read under the lock: it must not be before the end.
      return state.steeringEnd > 0
        && monotonicNanoseconds() - state.steeringEnd < Self.reloadInterval
    }
  }

  func noteFollowers(_ count: Int, steering: Int) {
    state.withLock { state in
      if state.steeringFollowers > 0, steering == 0 { state.steeringEnd = monotonicNanoseconds() }
      state.followers = count
      state.steeringFollowers = steering
    }
  }

  /// Notes that an action of a page was done; on the thread that did it, which looks at
  /// ``isSteered`` next.
  func noteAction() { state.withLock { $0.hasActed = true } }

  /// Set once the last lines are to be sent.
  var ending: Ending? { state.withLock { $0.ending } }

  func setServer(_ server: HTTPServer) { state.withLock { $0.server = server } }

  /// Has the service attend to what is new.
  func wake() { state.withLock { $0.server }?.wake() }

  /// Has the last lines sent, waits until they are or the time is over, and ends the server.
  func end(_ ending: Ending, patience: Duration) {
    let server = state.withLock { state -> HTTPServer? in
      defer {
        state.ending = state.ending ?? ending
        state.server = nil
      }
      return state.server
    }
    guard let server else { return }
    server.wake()
    let nanoseconds = Int(patience / .nanoseconds(1))
    _ = ended.wait(timeout: .now() + .nanoseconds(nanoseconds))
    server.stop()
  }

  /// Says that the last lines are sent.
  func noteEnd() {
    let isFirst = state.withLock { state in
      defer { state.hasEnded = true }
      return !state.hasEnded
    }
    if isFirst { ended.signal() }
  }
}
