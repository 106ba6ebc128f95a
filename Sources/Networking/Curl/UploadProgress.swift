import Locking

/// How much of the body of a request has been sent, by the loop's thread for others.
final class UploadProgress: Sendable {
  private let state = Locked<RequestTimeout.Sent?>(nil)

  /// The present state; nil before something is sent.
  var sent: RequestTimeout.Sent? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
