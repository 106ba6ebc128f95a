import Foundation
import TestSupport
import Testing

@Suite("Robustness", .timeLimit(.minutes(15)))
struct RobustnessTests {
  @Test("A closed standard output is an error like a full one, and closed input cannot be read")
  func closedStreams() throws {
    #expect(try Opsh.shell(#""$OPSH" <&-"#).status == 2)
    #expect(try Opsh.shell(#""$OPSH" -c 'delay 1ms; wait; echo x' <&-"#).output == "x\n")
    #expect(try Opsh.shell(#""$OPSH" -c 'echo x' >&-"#).status == 1)
    #expect(try Opsh.shell(#""$OPSH" -c 'delay 1ms; wait; echo x' 2>&-"#).output == "x\n")
    #expect(try Opsh.shell(#""$OPSH" -c 'fetch questions; wait' <&- >&- 2>&-"#).status <= 1)
  }

  @Test("A closed reader ends the run without a message", arguments: ["", "--json"])
  func closedPipe(option: String) throws {
    let outcome = try Opsh.shell(
      #""$OPSH" \#(option) -c 'while (true) { echo line }' | head -1; exit ${PIPESTATUS[0]}"#)
    #expect(outcome.errors == "")
    #expect(outcome.outputLines.count == 1)
    #expect(outcome.status == 128 + SIGPIPE)
  }

  @Test(
    "Output commands print no error if the reader closes",
    arguments: ["--reference", "--help", "explain", "--format \"$FILE\"", "\"$FILE\""])
  func unread(_ arguments: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      String(repeating: "echo a long enough line\n", count: 8000), to: "long.opsh")
    // Closed before anything is written.
    let outcome = try ChildProcess.run(
      "/bin/bash",
      arguments: [
        "-c", "{ sleep 0.2; \"$OPSH\" \(arguments); echo $? >&2; } | true",
      ],
      environment: Opsh.environment([
        "OPSH": try BuiltProducts.executable("opsh"), "FILE": file,
      ]))
    #expect(outcome.errors == "\(128 + SIGPIPE)\n")
  }

  @Test("A full disk is an error, status 1", arguments: ["", "--json"])
  func fullDisk(option: String) throws {
    let outcome = try Opsh.shell(#""$OPSH" \#(option) -c 'delay 1ms; wait; echo x' > /dev/full"#)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("No space left on device"))
    #expect(try Opsh.shell(#""$OPSH" --version > /dev/full"#).status == 1)
    #expect(try Opsh.shell(#""$OPSH" --help > /dev/full"#).status == 1)
    let redirected = try Opsh.text("echo x > /dev/full")
    #expect(redirected.status == 1)
    #expect(redirected.errors.contains("-c:1:"))
  }

  @Test("A failed redirection keeps the old file")
  func redirection() throws {
    let folder = try TemporaryFolder()
    try folder.write("old\n", to: "kept")
    let outcome = try Opsh.run(
      ["-c", "echo new > made\necho more >> made\necho x | tr x y > piped\nshow nobody > kept"],
      directory: folder.path)
    #expect(outcome.status == 1)
    #expect(folder.read("kept") == "old\n")
    #expect(folder.read("made") == "new\nmore\n")
    #expect(folder.read("piped") == "y\n")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        == ["kept", "made", "piped"], "nothing is left lying about")
  }

  @Test("A program that doesn't end delays neither a signal nor --timeout")
  func programThatStays() throws {
    for program in ["sleep 60", "sh -c 'echo begun >&2; exec >&-; trap \"\" TERM; exec sleep 60'"] {
      let timed = try Opsh.text("echo x | \(program)", options: ["--timeout", "200ms"])
      #expect(timed.status == 124)
      #expect(timed.errors.contains("--timeout"))
    }
    let child = try Opsh.start(["-c", "echo x | sh -c 'echo begun >&2; exec sleep 60'"])
    #expect(child.read { _, stderr in stderr.contains("begun") })
    child.send(signal: SIGTERM)
    #expect(child.communicate(timeout: .seconds(30)).status == 128 + SIGTERM)
    let body = try Opsh.text(
      "block --name b { echo x | sleep 60 }; expect (b.state == executing) within 20s; quit --now")
    #expect(body.status == 0, "\(body.errors)")
  }

  @Test("Invalid UTF-8 and NUL are errors with their place")
  func invalidBytes() throws {
    let binary = try BuiltProducts.executable("opsh")
    let cases: [([UInt8], String)] = [
      (Array("echo a".utf8) + [0xFF, 0x0A] + Array("echo b\n".utf8), "1:7"),
      (Array("echo ok\n  x".utf8) + [0xC3, 0x28, 0x0A], "2:4"),
      (Array("echo a".utf8) + [0x00] + Array("b\necho b\n".utf8), "1:7"),
      (Array("echo ".utf8) + [0xED, 0xA0, 0x80, 0x0A], "1:6"),
    ]
    for (bytes, place) in cases {
      let outcome = try ChildProcess.run(
        binary, input: Data(bytes), environment: Opsh.environment())
      #expect(outcome.status == 2, "\(place)")
      #expect(outcome.errors.hasPrefix("<stdin>:\(place): error: "), "\(outcome.errors)")
      #expect(!outcome.stderr.contains(0))
      let folder = try TemporaryFolder()
      try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/x.opsh"))
      let file = try Opsh.run(["x.opsh"], directory: folder.path)
      #expect(file.status == 2)
      #expect(file.errors.hasPrefix("x.opsh:\(place): error: "), "\(file.errors)")
      #expect(file.output == "")
    }
  }

  @Test("Random bytes as a script never crash the shell", arguments: 0..<20)
  func randomBytes(seed: Int) throws {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func next() -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33)
    }
    let pieces = [
      "{", "}", "(", ")", "\"", "'", "$", "$x", ".", ";", "\n", "|", ">", "\\", "#", " ", "if",
      "let", "for", "in", "def", "echo", "delay", "1ms", "-", "--", "..", "==", "and", "%", "a",
      "\u{1F600}", "\u{301}", "\u{0}", "on", "try", "catch", "while", "(false)", "return", "1", "[",
    ]
    let text = (0..<400).map { _ in
      pieces[next() % pieces.count] + (next() % 3 == 0 ? "" : " ")
    }.joined()
    for options in [["--check"], ["--keep-going", "--timeout", "5s"]] {
      let outcome = try Opsh.run(options, input: text)
      #expect(outcome.signal == 0, "\(text)")
      #expect((0...2).contains(outcome.status), "\(text)\n\(outcome.errors)")
    }
  }

  @Test(
    "Control characters are escaped in all output",
    arguments: [
      "echo \"a\\u{1B}[31mb\\u{7}\\u{9B}31m\\u{202E}c\\u{7F}\"",
      "(\"a\\u{1B}[31mb\")",
      "show \"x\\u{1B}[2Jy\"",
      "fail \"no\\u{1B}[2J\"",
      "get \"http://127.0.0.1:1/\\u{1B}[31m\"",
      "get \"http://127.0.0.1:1/%1B[31m\"; wait --any-outcome; show last; ops",
      "delay 1ms --name \"a\\u{1B}b\"",
      "block { fail \"no\\u{1B}[2J\" }; wait --any-outcome; show last; ops; log",
      "block { echo \"v\\u{1B}[2J\" }; wait; result last",
      "ecko \u{1B}[31m",
      "echo \u{1B}[2J\u{9B}",
      "echo '\u{1B}]0;title\u{7}' | cat",
      "help \"\\u{1B}x\"",
      "queue pause \"\\u{1B}x\"",
      "let x = \"\\u{1B}[2J\"\n(1 + $x)",
    ])
  func hostileText(script: String) throws {
    // The recorder writes text as a terminal shows it.
    let folder = try TemporaryFolder()
    let outcome = try Opsh.text(script, options: ["--transcript", folder.path + "/transcript"])
    #expect(outcome.signal == 0)
    for (name, text) in [("output", outcome.output), ("errors", outcome.errors)] {
      let raw = text.unicodeScalars.filter { scalar in
        scalar != "\n"
          && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            || (0x202A...0x202E).contains(scalar.value))
      }
      #expect(raw.isEmpty, "\(name): \(text.debugDescription)")
    }
    let json = try Opsh.text(script, options: ["--json"])
    #expect(!JSONContract.lines(of: json).isEmpty)
    #expect(!json.stdout.contains(0x1B))
  }

  @Test("Control characters from a server are escaped")
  func hostileServer() throws {
    let body = "\u{1B}[2Jevil\u{7}\u{202E}"
    let server = try CannedServer(
      "HTTP/1.1 200 O\u{1B}[31mK\r\nContent-Length: \(body.utf8.count)\r\n"
        + "X-Evil: \u{1B}[2J\r\nConnection: close\r\n\r\n" + body)
    let folder = try TemporaryFolder()
    let outcome = try Opsh.text(
      "get \(server.url)/; wait --any-outcome; result last; show last; ops",
      options: ["--transcript", folder.path + "/transcript"])
    #expect(outcome.output.contains("^[[2Jevil^G\\u{202E}"), "\(outcome.output)")
    for bytes in [outcome.stdout, outcome.stderr] {
      #expect(!bytes.contains(0x1B))
      #expect(!bytes.contains(0x07))
    }
  }

  @Test("A thousand operations run concurrently")
  func thousandOperations() throws {
    let outcome = try Opsh.text(
      "delay 1ms --count 1000; wait; expect (delay-1000.outcome == succeeded); ops",
      options: ["--json"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = JSONContract.lines(of: outcome)
    #expect(lines.count { $0.type == "transition" } == 4000)
    #expect(lines.filter { $0.type == "operation" }.map { $0.integer("id") } == Array(1...1000))
    #expect(lines.last?.integer("succeeded") == 1000)
  }

  @Test("A long chain of dependencies runs in order and can be cancelled")
  func chain() throws {
    let build =
      "delay 0ms --name d0 --hold\nfor i in (1..500) { let p = ($i - 1); delay 0ms --name \"d$i\" --after \"d$p\" }\n"
    let outcome = try Opsh.text(
      build + "start d0; wait; expect (d499.finished before d500.started)",
      options: ["--events", "off"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let stuck = try Opsh.text(build, options: ["--events", "off"])
    #expect(stuck.status == 1)
    let cancelled = try Opsh.text(build + "cancel all; start d0; wait", options: ["--json"])
    #expect(JSONContract.lines(of: cancelled).last?.integer("unfinished") == 0)
  }

  @Test("Long lines, many statements, and large values are supported")
  func large() throws {
    let long = String(repeating: "x", count: 300_000)
    #expect(try Opsh.run([], input: "echo \(long)\n").output == long + "\n")
    let many = String(repeating: "echo y\n", count: 5_000)
    #expect(try Opsh.run([], input: many).outputLines.count == 5_000)
    let folder = try TemporaryFolder()
    let file = try folder.write(many, to: "many.opsh")
    #expect(try Opsh.run([file]).outputLines.count == 5_000)
    #expect(try Opsh.text("echo \"\(long.prefix(100_000))\" | wc -c").output.contains("100001"))
  }

  @Test("Output after a program's exit and a program that ends early cause no hang")
  func programs() throws {
    #expect(try Opsh.text("echo x | sh -c 'cat; exit 3'").status == 1)
    let missing = try Opsh.text("echo x | no-such-program-here")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("no-such-program-here"))
    let early = try Opsh.text("for i in (1..3) { help | head -1 }")
    #expect(early.status == 0)
    #expect(early.outputLines.count == 3)
    let killed = try Opsh.text("echo x | sh -c 'kill -TERM $$'")
    #expect(killed.status == 1)
  }
}
