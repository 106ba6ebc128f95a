import Foundation
import TestSupport
import Testing

@Suite("The command line", .timeLimit(.minutes(15)))
struct CommandLineTests {
  @Test(
    "--version and --help print on standard output", arguments: ["--version", "-V", "--help", "-h"])
  func information(option: String) throws {
    let outcome = try Opsh.run([option])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.contains("opsh"))
    if option.contains("h") {
      for name in [
        "-c", "-i", "--check", "--json", "--events", "--keep-going", "--timeout", "--color",
        "--test-timeout",
        "--no-rc", "--no-history", "--endpoint", "--data", "--practice-server", "--version",
        "--help",
      ] { #expect(outcome.output.contains(name), "\(name)") }
    } else {
      #expect(outcome.output.wholeMatch(of: /opsh \d+\.\d+\.\d+\n/) != nil)
    }
  }

  @Test("--reference prints every command with its options, as Markdown")
  func reference() throws {
    let outcome = try Opsh.run(["--reference"])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.first == "# opsh reference")
    for heading in [
      "## The language", "## Functions", "## Build", "### fetch questions", "### wait",
    ] {
      #expect(lines.filter { $0 == heading }.count == 1, "\(heading)")
    }
    #expect(lines.contains { $0.hasPrefix("- `--pagesize N`: ") })
    #expect(lines.contains { $0.hasPrefix("- `upper(TEXT)`: ") })
    #expect(lines.allSatisfy { $0.count < 400 })
  }

  @Test("set trace shows each statement and its place before it runs, with secrets masked")
  func trace() throws {
    let script = """
      echo before
      set trace on
      for n in 1 2 {
        echo $n
      }
      def twice x { echo "$x$x" }; twice a
      set trace off
      echo after
      """
    let outcome = try Opsh.run(["-c", script])
    #expect(outcome.output == "before\n1\n2\naa\nafter\n")
    #expect(
      outcome.errors.split(separator: "\n") == [
        "+ -c:3:1: for n in 1 2 {", "+ -c:4:3: echo $n", "+ -c:4:3: echo $n",
        "+ -c:6:1: def twice x { echo \"$x$x\" }", "+ -c:6:30: twice a",
        "+ -c:6:15: echo \"$x$x\"", "+ -c:7:1: set trace off",
      ])
  }

  @Test(
    "An invalid command line is an error with status 2, and nothing runs",
    arguments: [
      ["--nonsense"], ["-z"], ["-c"], ["--timeout"], ["--timeout", "soon"], ["--timeout", "-1s"],
      ["--events", "nowhere"], ["--color", "blue"], ["--endpoint", "nonsense:"],
      ["--practice-server", "70000"], ["--practice-server", "x"], ["--json=yes"],
    ])
  func misuse(arguments: [String]) throws {
    let outcome = try Opsh.run(arguments + (arguments == ["-c"] ? [] : ["-c", "echo ran"]))
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("opsh:1:"))
  }

  struct Misuse: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    /// The command line as it is shown, and the marked part of it.
    let line: String
    let marked: String
    let help: String
    var testDescription: String { line }
  }

  @Test(
    "An invalid command line is shown with its place and help, also as JSON",
    arguments: [
      Misuse(
        arguments: ["--tiemout", "3"], line: "opsh --tiemout 3", marked: "--tiemout",
        help: "did you mean '--timeout'?"),
      Misuse(
        arguments: ["-k", "--timeout", "so on", "-c", "it's"],
        line: "opsh -k --timeout 'so on' -c 'it'\\''s'", marked: "'so on'", help: "--help"),
      Misuse(
        arguments: ["--json", "--color=blue"], line: "opsh --json --color=blue",
        marked: "--color=blue", help: "--help"),
      Misuse(
        arguments: ["--timeout", "1e300", "-c", "x"], line: "opsh --timeout 1e300 -c x",
        marked: "1e300", help: "--help"),
      Misuse(
        arguments: ["--data", "", "-c", "x"], line: "opsh --data '' -c x", marked: "''",
        help: "--help"),
      Misuse(arguments: ["-kz"], line: "opsh -kz", marked: "-kz", help: "--help"),
      Misuse(
        arguments: ["-k", "--timeout"], line: "opsh -k --timeout", marked: "--timeout",
        help: "--help"),
      Misuse(
        arguments: ["-c", "x", "--junit=f"], line: "opsh -c x --junit=f", marked: "--junit=f",
        help: "--help"),
      Misuse(
        arguments: ["explain", "a", "b"], line: "opsh explain a b", marked: "b", help: "--help"),
      Misuse(
        arguments: ["explain", "unclosed-qoute"], line: "opsh explain unclosed-qoute",
        marked: "unclosed-qoute", help: "did you mean 'unclosed-quote'?"),
      Misuse(
        arguments: ["--check", "tuor.opsh"], line: "opsh --check tuor.opsh",
        marked: "tuor.opsh", help: "did you mean 'tour.opsh'?"),
      Misuse(
        arguments: ["--format", "a.opsh", "--json"], line: "opsh --format a.opsh --json",
        marked: "opsh --format a.opsh --json", help: "before the files"),
      Misuse(
        arguments: ["--format", "-c", "wait", "b"], line: "opsh --format -c wait b", marked: "b",
        help: "--help"),
      Misuse(
        arguments: ["--practice-server", "0", "--timeout", "3s"],
        line: "opsh --practice-server 0 --timeout 3s", marked: "--timeout", help: "--help"),
      Misuse(
        arguments: ["--practice-server", "0", "tour.opsh"],
        line: "opsh --practice-server 0 tour.opsh", marked: "tour.opsh", help: "--help"),
      Misuse(arguments: ["ops"], line: "opsh ops", marked: "ops", help: "opsh -c 'ops'"),
    ])
  func showsMisuse(_ misuse: Misuse) throws {
    let folder = try TemporaryFolder()
    try folder.write("echo a\n", to: "tour.opsh")
    let outcome = try Opsh.run(misuse.arguments, directory: folder.path)
    #expect(outcome.status == 2)
    let lines = outcome.errorLines
    let index = try #require(lines.firstIndex(of: "  " + misuse.line), "\(outcome.errors)")
    try #require(index + 1 < lines.count)
    let start = try #require(misuse.line.range(of: misuse.marked, options: .backwards))
    let column = misuse.line.distance(from: misuse.line.startIndex, to: start.lowerBound)
    let carets = "^" + String(repeating: "~", count: misuse.marked.count - 1)
    #expect(lines[index + 1] == "  " + String(repeating: " ", count: column) + carets)
    #expect(lines[index - 1].hasPrefix("opsh:1:\(column + 1): "))
    #expect(lines.last?.hasPrefix("help: ") == true && lines.last?.contains(misuse.help) == true)
    let data = try Opsh.run(["--json"] + misuse.arguments, directory: folder.path)
    #expect(data.status == 2)
    let types = JSONContract.lines(of: data).map(\.type)
    #expect(types.filter { $0 != "diagnostic" } == ["error", "summary"])
    #expect(data.output.contains(misuse.help))
  }

  @Test("Option values may be attached, and short options may be joined")
  func forms() throws {
    #expect(try Opsh.run(["--events=off", "-c", "delay 1ms"]).errors == "")
    #expect(try Opsh.run(["-cecho x"]).output == "x\n")
    #expect(try Opsh.run(["-kc", "fail \"no\"\necho x"]).output == "x\n")
    #expect(try Opsh.run(["--command", "echo x"]).output == "x\n")
    let folder = try TemporaryFolder()
    let file = try folder.write("echo $1\n", to: "--odd")
    #expect(file.hasSuffix("--odd"))
    #expect(try Opsh.run(["--", "--odd", "y"], directory: folder.path).output == "y\n")
    // Words after the script belong to it, options or not.
    try folder.write("echo $1 $2\n", to: "s.opsh")
    #expect(
      try Opsh.run(["s.opsh", "--json", "-c"], directory: folder.path).output == "--json -c\n")
    #expect(try Opsh.run(["-c", "echo $1 $2", "a", "--check"]).output == "a --check\n")
  }

  @Test("Transitions go to standard error in a script, to standard output with --json")
  func eventsByDefault() throws {
    let text = try Opsh.text("delay 1ms; wait; echo x")
    #expect(text.output == "x\n")
    #expect(text.errorLines.count == 4)
    let json = try Opsh.text("delay 1ms; wait; echo x", options: ["--json"])
    #expect(json.errors == "")
    #expect(JSONContract.lines(of: json).count { $0.type == "transition" } == 4)
  }

  struct Destination: Sendable, CustomTestStringConvertible {
    let options: [String]
    /// The number of transitions on each stream.
    let standardOutput: Int
    let standardError: Int
    var testDescription: String { options.joined(separator: " ") }
  }

  @Test(
    "--events selects the stream",
    arguments: [
      Destination(options: ["--events", "stdout"], standardOutput: 4, standardError: 0),
      Destination(options: ["--events", "stderr"], standardOutput: 0, standardError: 4),
      Destination(options: ["--events", "off"], standardOutput: 0, standardError: 0),
      Destination(options: ["--json", "--events", "stdout"], standardOutput: 4, standardError: 0),
      Destination(options: ["--json", "--events", "stderr"], standardOutput: 0, standardError: 4),
      Destination(options: ["--events", "off", "--json"], standardOutput: 0, standardError: 0),
    ])
  func events(_ destination: Destination) throws {
    let outcome = try Opsh.text("delay 1ms; wait; echo x", options: destination.options)
    #expect(outcome.status == 0)
    if destination.options.contains("--json") {
      let transitions = JSONContract.lines(of: outcome).filter { $0.type == "transition" }
      #expect(transitions.count == destination.standardOutput)
    } else {
      #expect(outcome.outputLines.count { $0.contains("→") } == destination.standardOutput)
      #expect(outcome.outputLines.contains("x"))
    }
    let count = outcome.errorLines.count { $0.contains("→") || $0.contains("\"transition\"") }
    #expect(count == destination.standardError)
  }

  @Test("events off and on switch the stream in a script, and the log has all events")
  func eventsCommand() throws {
    let outcome = try Opsh.text("events off; delay 1ms; wait; events on; delay 1ms; wait; log")
    #expect(outcome.errorLines.count == 4)
    #expect(outcome.errorLines.allSatisfy { $0.contains("delay-2") })
    #expect(outcome.outputLines.count { $0.contains("→") } == 8)
  }

  @Test(
    "A download to the output of the run is refused, and loses nothing of it",
    arguments: ["> file; cat file", "| cat"])
  func downloadToOutput(_ redirection: String) throws {
    let folder = try TemporaryFolder()
    let text = "echo before; try { download /cookies /dev/stdout; wait } catch e { echo $e.code }"
    let outcome = try Opsh.shell(
      "cd '\(folder.path)'; \"$OPSH\" --no-rc -c '\(text); echo after' \(redirection)")
    #expect(outcome.output == "before\nfile(22)\nafter\n", "\(outcome.errors)")
  }

  @Test(
    "An error about an option is an object where '--json' is an option, and not a word after it")
  func wordsAfterOptions() throws {
    let words = try Opsh.run(["--bogus", "--", "--json"])
    #expect(words.status == 2 && words.output == "", "\(words.output)")
    let option = try Opsh.run(["--json", "--bogus"])
    #expect(option.status == 2 && option.output.hasPrefix("{"), "\(option.output)")
  }

  @Test(
    "A line that is no text ends a run, or is left out, and the lines after it keep their numbers")
  func undecodableLine() throws {
    let stopped = try Opsh.shell(#"printf 'echo a\n\377\necho b\n' | "$OPSH" --no-rc"#)
    #expect(stopped.status == 2 && stopped.output == "a\n", "\(stopped.errors)")
    let kept = try Opsh.shell(#"printf 'echo a\n\377\necko\necho b\n' | "$OPSH" --no-rc -k"#)
    #expect(kept.status == 2 && kept.output == "a\nb\n", "\(kept.errors)")
    #expect(kept.errors.contains("<stdin>:2:") && kept.errors.contains("<stdin>:3:1: error:"))
  }

  @Test("Two programs on one command line are an error", arguments: ["-c", "--command"])
  func twoTexts(option: String) throws {
    let outcome = try Opsh.run(["-c", "echo a", option, "echo b"])
    #expect(outcome.status == 2 && outcome.output == "")
    #expect(outcome.errors.contains("'\(option)' is given twice"), "\(outcome.errors)")
  }

  @Test("A download to the file of the run's errors is refused as well")
  func downloadToErrors() throws {
    let folder = try TemporaryFolder()
    let text = "try { download /cookies /dev/stderr; wait } catch e { echo $e.code }"
    let outcome = try Opsh.shell(
      "cd '\(folder.path)'; \"$OPSH\" --no-rc -c '\(text)' 2> file")
    #expect(outcome.output == "file(22)\n")
  }

  @Test(
    "Unreadable standard input is an error with status 2",
    arguments: ["< /", "<&-", "0> /dev/null"], ["", "--check", "--format", "-i"])
  func unreadableInput(_ redirection: String, _ option: String) throws {
    let outcome = try Opsh.shell("\"$OPSH\" --no-rc \(option) \(redirection)")
    #expect(outcome.status == 2)
    let message = "error: '<stdin>' can't be read"
    #expect(outcome.errors.components(separatedBy: message).count == 2, "\(outcome.errors)")
    #expect(outcome.output == "")
  }

  @Test(
    "Standard input that is not a terminal is a script, also with -i",
    arguments: [
      "fail no\necho after\n", "block { fail no }\n", "block { fail no }; wait\necho x\n",
    ])
  func interactivePipe(_ text: String) throws {
    for option in ["", "-i"] {
      let outcome = try Opsh.shell("printf '\(text)' | \"$OPSH\" --no-rc \(option)")
      #expect(outcome.status == 1, "\(option)")
      #expect(outcome.output == "")
      #expect(outcome.errors.contains("error:"))
    }
  }

  @Test("A prompt without a terminal is an error, also after a script")
  func unreadablePrompt() throws {
    let outcome = try Opsh.shell("\"$OPSH\" --no-rc -i -c 'echo 1' < /")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("error: '<stdin>' can't be read"))
    #expect(outcome.output == "1\n")
  }

  @Test("--timeout ends the whole run")
  func timeout() throws {
    for text in [
      "delay 60s", "delay 60s; wait", "sleep 60s", "while (true) { }",
      "block { while (true) { } }; wait",
    ] {
      let outcome = try Opsh.text(text, options: ["--timeout", "100ms"])
      #expect(outcome.status == 124, "\(text)")
      #expect(outcome.errors.contains("--timeout"))
    }
    let failing = try Opsh.text(
      "block { fail no }; wait --any-outcome; sleep 60s", options: ["--timeout", "300ms", "--json"])
    #expect(failing.status == 124)
    #expect(failing.output.contains(#""unfinished":0,"status":124}"#))
    let none = try Opsh.text("echo a", options: ["--timeout", "0"])
    #expect(none.status == 2 && none.errors.contains("must be a duration of more than 0"))

    let reader = try Opsh.start(["--timeout", "100ms"])
    #expect(reader.read { _, stderr in stderr.contains("--timeout") }, "while it waits for input")
    #expect(reader.communicate().status == 124)
  }

  @Test(
    "--endpoint selects the service, and a service that does not answer is an error with its code")
  func endpoint() throws {
    let outcome = try Opsh.text(
      "fetch questions; wait",
      options: ["--endpoint", "http://127.0.0.1:1"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("connection-refused"))
    #expect(try Opsh.text("endpoint", options: ["--endpoint", "live"]).output.contains("live"))
  }

  @Test("--color always and never override the default; a pipe has no colours by default")
  func color() throws {
    let text = "delay 1ms; wait; ops"
    #expect(!(try Opsh.text(text).errors.contains("\u{1B}")))
    #expect(!(try Opsh.text(text, options: ["--color", "never"]).errors.contains("\u{1B}")))
    let colored = try Opsh.text(text, options: ["--color=always"])
    #expect(colored.errors.contains("\u{1B}["))
    let json = try Opsh.text(text, options: ["--color=always", "--json"])
    #expect(!JSONContract.lines(of: json).isEmpty)
  }

  @Test("A locale that is not UTF-8 gets plain ASCII")
  func asciiOnly() throws {
    let text =
      "delay 1ms; wait; ops; queue; delay 1s; cancel last; wait; why last; help; help delay"
    for locale in [["LANG": "C"], ["LC_ALL": "C"], ["LC_ALL": "POSIX", "LANG": "C.UTF-8"]] {
      let outcome = try Opsh.run(["-c", text], environment: locale)
      #expect(outcome.status == 0)
      #expect(outcome.stdout.allSatisfy { $0 < 0x80 }, "\(outcome.output)")
      #expect(outcome.stderr.allSatisfy { $0 < 0x80 }, "\(outcome.errors)")
      #expect(outcome.errors.contains("->"))
    }
    // JSON is UTF-8 whatever the locale.
    let json = try Opsh.run(["--json", "-c", "echo \"größe\""], environment: ["LC_ALL": "C"])
    #expect(JSONContract.lines(of: json).first?.string("text") == "größe")
  }

  @Test("In a locale that is not UTF-8, a file and a program get the same bytes of data")
  func dataWithoutUTF8() throws {
    let text = """
      echo "é → ✓ …"; ("é → ✓"); fetch tweets swift --name t; wait; result t
      tags add 日本語 →; tags list; quotes sync; wait; quotes list --limit 9
      get /2.3/info --name r; wait --any-outcome; block { ("é →") } --name b; wait b; result b
      echo "é → ✓" | cat; echo "é →" > file; !cat file
      """
    let outputs = try ["C.UTF-8", "C"].map { locale in
      let folder = try TemporaryFolder()
      let outcome = try Opsh.run(
        ["--data", folder.path, "-c", text], environment: ["LC_ALL": locale],
        directory: folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return outcome.output
    }
    #expect(outputs[0].hasPrefix("é → ✓ …\né → ✓\n") && outputs[0].contains("日本語\n→\n"))
    #expect(outputs[0].hasSuffix("é →\né → ✓\né →\n"), "\(outputs[0].suffix(40))")
    #expect(outputs[0] == outputs[1])
  }

  @Test("A transcript is the same in every locale")
  func transcriptWithoutUTF8() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/t.txt"
    let outcome = try Opsh.run(
      ["--transcript", file], input: "echo é ✓\ndelay 1ms --name d\nwait\n",
      environment: ["LC_ALL": "C"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let text = try #require(folder.read("t.txt"))
    #expect(text.contains("\né ✓\n") && text.contains("executing → finished"), "\(text)")
    for locale in ["C", "C.UTF-8"] {
      let tested = try Opsh.run(["--test", file], environment: ["LC_ALL": locale])
      #expect(tested.status == 0, "\(tested.output)")
    }
  }

  @Test("'--format' is refused with '--json', and 'explain' prints objects with it")
  func jsonWithoutScript() throws {
    let folder = try TemporaryFolder()
    let script = try folder.write("echo  1\n", to: "s.opsh")
    let refused = try Opsh.run(["--json", "--format", script])
    #expect(refused.status == 2)
    #expect(refused.errors.contains("'--format' prints a script, and goes with neither '--json'"))
    #expect(!refused.output.contains("echo 1"))
    let explained = try Opsh.run(["--json", "explain", "file(2)"])
    let lines = JSONContract.lines(of: explained)
    #expect(lines.first?.string("text")?.hasPrefix("file: ") == true, "\(explained.output)")
    #expect(lines.dropLast().allSatisfy { $0.string("command") == "explain" })
  }

  @Test("'--help' says what '--check' reads and what '--junit' replaces")
  func helpOfFiles() throws {
    let words = try Opsh.run(["--help"]).output.split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(words.contains("report all errors of the FILEs without running anything"))
    #expect(words.contains("--junit replaces an earlier report without it"))
  }

  @Test("'--check' and '--format' read every file, and the worst one sets the status")
  func severalFiles() throws {
    let folder = try TemporaryFolder()
    try folder.write("echo  1\n", to: "good.opsh")
    try folder.write("ecko 2\n", to: "wrong.opsh")
    try folder.write("let  x = 3\n", to: "unused.opsh")
    func run(_ arguments: String..., input: String = "") throws -> ChildProcess.Outcome {
      try Opsh.run(arguments, input: input, directory: folder.path)
    }
    let checked = try run("--check", "good.opsh", "wrong.opsh", "missing.opsh", "unused.opsh")
    #expect(checked.status == 2 && checked.output.isEmpty)
    let places = checked.errorLines.filter { $0.contains("error: ") || $0.contains("warning: ") }
    #expect(
      places.map { String($0.prefix { $0 != ":" }) } == [
        "wrong.opsh", "missing.opsh", "unused.opsh",
      ])
    #expect(try run("--check", "good.opsh", "unused.opsh").status == 0)
    #expect(try run("--check", "good.opsh", "-", input: "ecko 1").status == 2)
    let formatted = try run("--format", "good.opsh", "missing.opsh", "unused.opsh")
    #expect(formatted.status == 2 && formatted.output == "echo 1\nlet x = 3\n")
    let data = JSONContract.lines(of: try run("--check", "--json", "wrong.opsh", "wrong.opsh"))
    #expect(data.count { $0.type == "error" } == 2)
    #expect(data.count { $0.type == "summary" } == 1)
    // With a text, words are its arguments.
    #expect(try run("--check", "-c", "echo $1", "missing.opsh").status == 0)
    let option = try run("--check", "good.opsh", "--json")
    #expect(option.status == 2 && option.errors.contains("the option '--json' follows a file"))
  }

  @Test("An option after a file of '--test' is no file", arguments: ["--junit", "--test-timeout"])
  func lateTestOptions(_ option: String) throws {
    let outcome = try Opsh.run(["--test", "a.opsh", option, "x"])
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("the option '\(option)' follows a file"))
  }

  @Test("'--format' is refused with '--check' and '--test'", arguments: ["--check", "--test"])
  func formatAlone(_ option: String) throws {
    let folder = try TemporaryFolder()
    let script = try folder.write("nosuch\n", to: "s.opsh")
    let outcome = try Opsh.run([option, "--format", script])
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("'--format' prints a script, and goes with neither"))
  }

  @Test("Options without effect under '--test' are errors", arguments: ["--json", "-k"])
  func testOptions(_ option: String) throws {
    let outcome = try Opsh.run(["--test", option, "a.opsh"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'--test' takes neither"))
  }

  @Test(
    "A time limit that expires at the end of the script is reported with the awaited operations")
  func lateAtTheEnd() throws {
    let outcome = try Opsh.text("echo a\n  delay 60s", options: ["--timeout", "200ms"])
    #expect(outcome.status == 124)
    #expect(outcome.errors.contains("-c:2:3: error: the run took longer than --timeout 200ms"))
    #expect(outcome.errorLines.contains("    delay 60s"))
    #expect(outcome.errors.contains("help: 'opsh --timeout DURATION' sets the limit"))
  }

  @Test("'--json' on 'alias' and 'time' prints objects for that command only")
  func objects() throws {
    let outcome = try Opsh.text("alias few = delay 1ms; alias --json; time --json few; echo text")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("\"text\":\"alias few = delay 1ms\""), "\(outcome.output)")
    #expect(outcome.output.contains("\"command\":\"time\""))
    #expect(outcome.output.hasSuffix("\ntext\n"))
  }
}
