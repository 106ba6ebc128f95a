extension LineEditor {
  /// A key map: which function each key has.
  public enum KeyMap: String, Sendable, CaseIterable {
    /// Emacs mode, in which every key inserts or edits.
    case emacs
    /// vi mode: Escape begins to command, `i` to insert.
    case vi
  }

  /// The key map that is used.
  public var keyMap: KeyMap {
    get { editLine?.keyMap ?? .emacs }
    set { editLine?.setKeyMap(newValue) }
  }

  /// The functions that keys can be bound to, by their names.
  public var functions: [(name: String, summary: String)] {
    let own = EditCommand.allCases.map { (name: $0.rawValue, summary: $0.summary) }
    let others = (editLine?.builtins ?? []).filter { EditCommand(name: $0.name) == nil }
    return (own + others).sorted { $0.name < $1.name }
  }

  /// Binds a key, or lists keys and functions, as `bind` of libedit does.
  ///
  /// - Parameter words: The words after `bind`.
  /// - Returns: What it prints, and whether it failed; then that is the reason.
  public func bind(_ words: [String]) -> (text: String, failed: Bool) {
    editLine?.bind(words) ?? ("", true)
  }
}
