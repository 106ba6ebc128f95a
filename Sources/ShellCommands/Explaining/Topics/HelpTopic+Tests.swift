extension HelpTopic {
  static let tests = HelpTopic(
    name: "tests", heading: "Scripts and transcripts as tests",
    introduction: """
      'opsh --test FILE…' runs scripts and transcripts, each in a process of its own, and reports \
      TAP. A folder means the tests in it; a file without statements and a folder without tests are \
      errors. 'expect' and 'never' check conditions; a failed operation fails the test unless its \
      failure is expected ('help status').
      """,
    items: [
      ("--test-timeout D", "ends each test after this time (default 60s); --timeout ends the run"),
      ("--junit FILE", "writes the report as JUnit's XML, too"),
      (
        "a transcript",
        "is a session at the prompt: lines that begin with 'opsh> ' are typed, each after the output "
          + "of the one before, and the lines below are the expected output."
      ),
      (
        "[time] [duration] [rate] [share] [port]",
        "take the place of times, durations, rates, shares of time and ports, which are not compared"
      ),
      ("…", "matches any text in a line; alone on a line, any lines"),
      (
        "--transcript FILE",
        "records a transcript of typed lines, or of the run of a script; --replace overwrites FILE"
      ),
      ("--update", "rewrites transcripts whose output differs, and shows the difference"),
      (
        "# columns: unlimited",
        "and '# of a script' at the head of a transcript: 'diagram', 'server log --follow' and "
          + "'watch' print what they print in a script"
      ),
    ], further: ["expect", "never", "set clock", "status"])

  static let folders = HelpTopic(
    name: "folders", heading: "Files that opsh reads and writes",
    introduction: """
      All but the startup file can be kept elsewhere with '--data DIR'. They are readable by their \
      owner only. Keys and passwords are never stored.
      """,
    items: [
      ("$XDG_CONFIG_HOME/opsh/rc", "the startup file: statements that run before the first prompt"),
      (
        "$XDG_STATE_HOME/opsh/history",
        "the typed lines; one that begins with a space is not kept ('history', '--no-history')"
      ),
      (
        "$XDG_DATA_HOME/opsh/store.sqlite",
        "tags, quotes and the cache of responses ('tags', 'quotes', 'cache')"
      ),
    ], further: ["set", "history", "output"])
}
