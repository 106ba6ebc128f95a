import ShellLanguage

/// `set trace`: each statement is shown before it runs.
enum SetTrace: Setting {
  static let name = "trace"
  static let summary = "Whether each statement is shown before it runs"
  static let discussion = """
    A line on standard error for each statement of a script, a block or a 'def', with the place \
    where it stands: '+ lesson.opsh:3:1: queue pause'. Of a statement that holds a block, the first \
    line.
    """
  static let kind = ArgumentKind.boolean
  static let valueHelp = "on or off"
  static let examples: [CommandSignature.Example] = [
    .init("set trace", "off at the start"),
    .init("set trace on; repeat 2 { echo hello }; set trace off", "both turns are shown"),
  ]
  static let searchTerms = ["debug", "steps", "verbose", "xtrace", "follow", "statements"]

  static func value(in session: Session) -> Value { .boolean(session.isTracing) }

  static func text(in session: Session) -> String { session.isTracing ? "on" : "off" }

  static func set(_ value: Value, in session: Session) {
    session.isTracing = value.isTruthy
  }
}
