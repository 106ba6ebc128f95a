import OpshLocking

/// The output of a session that takes the place of another one.
extension Output {
  /// Takes over what another output is in the middle of: the numbers of objects, the editor's use of
  /// the terminal, and what waits for it; the other one writes nothing from then on.
  ///
  /// - Parameter other: The output of the session that ends.
  package func takeOver(from other: Output) {
    let taken = other.state.withLock { state in
      defer {
        state = State()
        state.isSilent = true
      }
      return state
    }
    state.withLock { $0 = taken }
  }
}
