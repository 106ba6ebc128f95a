/// Who cancelled operations; shared by all that were cancelled together.
///
/// It is what the error of a cancelled operation says, and what the log has of it.
final class CancelRequest: Sendable {
  /// What cancelled them, as text: `'cancel'`, `group 'sync'`.
  let requester: String

  init(by requester: String) {
    self.requester = requester
  }

  /// Reads the request from the reason of an entry; nil if it does not say who cancelled.
  convenience init?(inReason reason: String) {
    for state in OperationState.allCases {
      let start = Self.reason(nil, in: state) + Self.separator
      if reason.hasPrefix(start) {
        self.init(by: String(reason.dropFirst(start.count)))
        return
      }
    }
    return nil
  }

  /// Puts into words that an operation in a state was cancelled.
  static func reason(_ request: CancelRequest?, in state: OperationState) -> String {
    let text =
      switch state {
      case .executing: "cancelled while executing"
      case .created: "cancelled, on no queue"
      case .pending, .ready, .finished: "cancelled, finishes when the queue starts it"
      }
    return request.map { text + separator + $0.requester } ?? text
  }

  private static let separator = ", by "
}
