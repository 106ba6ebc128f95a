import ShellLanguage

extension HelpTopic {
  /// The phases of requests, and what can be done at them.
  static let phases = HelpTopic(
    name: "phases", heading: "Phases of requests",
    introduction: """
      A request goes through phases while it is executing. 'ops', 'show' and 'watch' show the \
      present one after the state: executing · decoding 30 of 60. In JSON it is the key 'phase', as \
      long as there is one; the state stays executing. A fresh response from the cache goes through none.
      """,
    items: [
      ("headers", "the status and the headers have come: ($NAME.status), ($NAME.expected)"),
      ("body", "the first bytes of the body have come"),
      (
        "decoding",
        "the body is complete and becomes the value; 'quotes parse' comes to it in the middle"
      ),
      (
        "saving",
        "the value is written: by 'quotes sync' and 'quotes read' to the store, by 'download' to "
          + "its file, with '--cached' to the cache"
      ),
      (
        "pause OP at PHASE",
        "the operation pauses there, once, and keeps its slot; 'resume OP' continues it. It ends by "
          + "'cancel' or its time limit. 'why' names the reason, 'wait' fails with it in a script."
      ),
      (
        "slow PHASE 2s",
        "each operation waits so long before the work of the phase; 'slow PHASE off' ends that"
      ),
      (
        "on OP PHASE { }",
        "the block runs at the phase, and the operation waits until it has run"
      ),
      (
        "what is saved",
        "all or nothing: a save that is cancelled in the middle leaves the store as it was. One "
          + "that pauses takes back what it has written, and begins again with 'resume'."
      ),
      (
        "lines",
        "a phase has a line among the transitions, with 'executing' before and after, where "
          + "something was asked for at it"
      ),
    ],
    examples: [
      .init(
        "fetch questions --hold --name q; pause q at decoding; start q; sleep 200ms; ops; "
          + "resume q; wait", "paused in the middle"),
      .init(
        "slow saving 300ms; quotes sync --name s; sleep 150ms; cancel s; wait; quotes list",
        "cancelled while it saves"),
    ], further: ["pause", "resume", "slow", "on", "states"])
}
