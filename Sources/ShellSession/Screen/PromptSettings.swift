/// What the prompt shows around the line, and what it tells of the last one.
package struct PromptSettings: Sendable {
  package var template = PromptTemplate.standard
  /// Whether it shows text only: no colours, no suggestions, no marks, nothing that changes by itself.
  package var isPlain = false
  /// The least length of a wait whose end it announces; nil for none.
  package var noticeLimit: Duration? = .seconds(10)
  /// The exit status of the last line.
  package var lastStatus: Int32 = 0
  /// How many operations had failed when the last line was entered.
  package var failuresBefore = 0
  /// The longest wait of the last line.
  package var longestWait = Duration.zero

  /// Has the settings of another session, in which nothing has failed.
  func succeeding() -> PromptSettings {
    var settings = self
    settings.failuresBefore = 0
    return settings
  }
}
