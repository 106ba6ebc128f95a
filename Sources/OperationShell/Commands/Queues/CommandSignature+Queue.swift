import ShellLanguage

extension CommandSignature.Positional {
  /// The queue that a command works on; the one in use where it is left out.
  static var queue: Self {
    .init(
      "queue", .name("queue"), .optional,
      help: "the queue; the one in use if left out")
  }
}
