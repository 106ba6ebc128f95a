import Locking

/// What was typed at the prompt: perhaps several lines, as they were.
struct TypedLine: Sendable {
  let text: String
  /// Whether it did not end with an error.
  let isGood: Bool
}

extension Session {
  /// Keeps what was typed for `save`.
  ///
  /// What the history does not keep is not kept for a script either.
  func note(typed text: String, isGood: Bool) {
    guard !text.hasPrefix(" "), !SecretMask.holdsSecret(text) else { return }
    state.withLock { $0.typed.append(TypedLine(text: text, isGood: isGood)) }
  }
}
