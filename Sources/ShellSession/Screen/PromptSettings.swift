/// The signs of the prompt around the line, and its report of the last one.
package struct PromptSettings: Sendable {
  package var template = PromptTemplate.standard
  /// True if it shows text only: no colours, suggestions or marks, nothing that changes by itself.
  package var isPlain = false
  /// The least length of a wait whose end it announces; nil for none.
  package var noticeLimit: Duration? = .seconds(10)
  /// The exit status of the last line.
  package var lastStatus: Int32 = 0
  /// The number of operations that had failed when the last line was entered.
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
