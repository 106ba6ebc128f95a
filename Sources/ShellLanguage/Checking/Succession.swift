/// How another session goes on after a command, which replaces the one that it ran in.
public enum Succession: Sendable {
  /// It begins anew: no operation, queue or variable of the old one exists in it.
  case anew
  /// It is as the old one was at an earlier time.
  case earlier
}

extension ErrorPage {
  /// The error of a command that replaces the session, inside of a statement.
  public static let notAtTopLevel = ErrorPage(
    "not-at-top-level", "The command must stand at the top level",
    "It replaces the session, with all that runs in it: no block, handler or body could go on.",
    help: "not in a block, a handler, a 'def' or a script that is sourced",
    wrong: "if (true) { reset }", right: "reset")
}
