import Foundation
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellCommands
@testable import ShellSession

@Suite("Static checks with the real commands", .timeLimit(.minutes(15)))
struct StaticCheckTests {
  private func check(_ text: String) throws -> [Diagnostic] {
    let fixture = try ShellFixture()
    let script = Parser.parse(SourceText(name: "test.opsh", text: text))
    return fixture.session.run.check(
      script, isWhole: true, names: .all, in: fixture.shell.interpreter.makeContext())
  }

  @Test(
    "A correct script passes the check",
    arguments: [
      "ops --where (outcome == cancelled)", "echo (count of ops where outcome != cancelled)",
      "for v in 1.5 1.9 { echo $v }\nqueue new q", "for v in 1.5 { queue new q; echo $v }",
      "alias delay = queue new\nlet q = delay zed\necho $q.width",
      "block { soon }\nalias soon = echo hi\nwait",
      "if ('a' == 'b') { echo c }", "let d = 2s\nif ($d.seconds > 1) { echo a }",
      "endpoint quotes none\nendpoint $1\ntags add $1", "endpoint $1 --key x",
      "endpoint quotes $1\nendpoint questions live --key x\nendpoint live",
      "endpoint quotes practice --application-id $1 --key x", "delay 1ms\nshow last --curl",
      "delay 1ms --name a\nexport $1 --life a\nexport b.svg --life a\nexport c.svg --graph",
      "for i in 1..20 { fetch questions }\nwait questions-9",
      "if ($1) { delay 1ms --name a } else { delay 2ms --name a }",
      "delay 1ms --name a\nqueue new a",
      "queue new a\nqueue remove a\nqueue new a", "repeat 2 { queue new a; queue remove a }",
      "queue new q\nif ($1) { queue remove q }\ndelay 1ms --queue q",
      "def fetsh { echo a }\nhelp fetsh", "alias fetsh = fetch\nhelp fetsh", "help $1 fetsh",
      "source $1\nhelp fetsh", "help\nhelp queue\nhelp server faults\nhelp isReady\nhelp length",
      "try { help fetsh } catch e { echo $e.code }",
      "group g --exclusive a { delay 1ms --exclusive b; delay 1ms --exclusive a --queue network }",
      "group g --exclusive $1 { delay 1ms --exclusive a }",
      "group g --exclusive a { group h --queue network { delay 1ms --exclusive a } }",
      "group g --exclusive a { delay 1ms --exclusive a --hold }",
      "group g --exclusive a { group h --hold { delay 1ms --exclusive a } }",
      "def delay n { echo $n }\ngroup g --exclusive a { delay 5 }",
      "repeat 1 { delay 1ms --name a }", "repeat 2 { if ($# > 1) { delay 1ms --name a } }",
      "repeat 2 { delay 1ms --name a; exit }", "repeat $# { delay 1ms --name a }",
      "try { delay 1ms --name a } catch e { delay 2ms --name a; echo $e.code }",
      "def make { delay 1ms --name a }\nif ($1) { make } else { delay 1ms --name a }",
      "for x in 1 2 { try { source nosuch.opsh } catch e { echo $e.code } }",
      "echo \"let a = 1\" > made.opsh\nsource made.opsh", "!touch made.opsh\nsource made.opsh",
      "set clock virtual\nendpoint practice\nget /2.3/info\nfetch questions\nserver latency 1ms",
      "fetch quotes --order -readCount",
      "repeat 2 { delay 1ms; wait delay-1 }", "repeat 2 { if ($1) { wait delay-1 }; delay 1ms }",
      "set clock virtual\nset clock real\nrun ls",
      "set clock virtual\ntry { run ls } catch e { $1 }"
        .replacingOccurrences(of: "$1", with: "echo $e.code"),
      "let t = \"soon\"\nlet t = 5ms\ndelay $t", "for t in 1ms 2ms { delay $t }",
      "let n = 5\nlet d = 2s\necho $n.json \"$d.x\" $d.seconds",
      "let l = (1..3)\necho ($l.first ?? 1)\ntry { fail x } catch e { echo ($e.nope ?? 1) }",
      "let a = delay 1ms --name b\necho \"${a.state} ${b.state} ${(b.state)}\"",
      "if ($1) { delay 1ms --name a }\nlet a = 5s\necho \"${a.seconds}\"",
      "def f { echo \"${later} ${later.count}\" }\nlet later = 'abc'\nf",
      "ops --where (name == \"${name}\" or (items ?? 0) > 3)",
      "delay 1ms --count 3\nfor op in delay-* all { echo $op.state }",
      "echo (count of ops) (\"ops\" == ops)", "let d = !date\necho \"on $d\"",
      "let t = \"5\"\ndelay $t", "let s = 'abc'\necho $s.count \"${s}.txt\"",
      "on queue network empty { echo $self.name $self.paused }",
      "delay 1ms\non delay-1 finished { echo $self.name $self.result }",
      "observe queue network isSuspended { echo $change.new }",
      "repeat 20 { delay 1ms }\nwait delay-9",
      "for n in 1..2 { if ($n > 1) { queue show x } else { queue new x } }",
      "repeat 2 { if ((count of queues) > 9) { queue show x }; if (true) { queue new x } }",
      "def mk { queue new x }\nmk\nqueue show x",
      "let n = 0\nwhile ($n < 20) { delay 1ms; let n = ($n + 1) }\nwait delay-12",
      "def make { fetch questions }\nmake\nmake\nwait questions-2",
      "if ($# > 0) { delay 1ms --name a } else { delay 1ms --name b }\nif ($# > 0) { wait a }",
      "delay 1ms\non delay-1 finished { delay 1ms }\nwait delay-1",
      "delay 1ms --hold\non delay-1 finished { delay 1ms; wait delay-2 }\nstart delay-1\nwait",
      "block { delay 1ms --name inner }\nwait block-1\nwait inner",
      "group g { delay 1ms --name part }\nwait g part\nqueue show g",
      "group g --count 2 { delay 1ms }\nwait g-1 g-2",
      "let name = \"x\"\ndelay 1ms --name $name\nwait x",
      "delay 1ms --name delay-1\ndelay 1ms\nwait delay-2",
      "fetch questions --count $1\nwait questions-50", "delay 1ms --count 3 --name d\nwait d-1 d-3",
      "try { get / --header nocolon } catch e { echo $e.code }", "get / --header $1",
      "get / --retry 1; post / --retry 0; put / --retry 1 --retry-unsafe; delete / --retry $1",
      "get / --header 'A: b' --header 'A:'", "get \"http://$1/\"", "post / --json $1",
      "group g --backoff 1s --jitter 20% { delay 1ms --retry 1 }",
      "group g --retry 2 { delay 1ms --backoff 1s; if ($1) { delay 1ms --jitter 20% } }",
      "def f { delay 1ms --backoff 1s }\ngroup g --retry 2 { f }",
      "alias d = delay 1ms --backoff 1s\nd --retry 2",
      "alias d = delay 1ms --backoff 1s\ngroup g --retry 2 { d }",
      "delay 1ms --backoff 1s --retry $1", "delay 1ms --retry 2 --backoff 1s --jitter 20%",
      "try { delay 1ms --backoff 1s } catch e { echo $e.code }",
      "export $1", "export \"$1.foo\"", "export a.svg --graph", "export a.dot; export b.TRACE.JSON",
      "queue width $1 2; queue width 2", "let q = queue new a\nqueue width $q 2",
      "try { queue width main 2 } catch e { echo $e.code }",
      "group net { delay 1ms }", "delay 1ms --name a --hold\ndelay 1ms --name b\ndeps a on b",
      "echo (format(\"{2} {1}\", 1, 2)) (format(\"{{}}\")) (format($1, 2)) \"$1\"",
      "try { echo (format(\"{}\")) } catch e { echo $e.code }",
      "try { source nosuch.opsh } catch e { echo $e.code }\nwait later\necho $made\nmake 1 2",
      "show nobody", "fetch tweets a --name urgent\nwait urgent\necho (urgent.tag) last.tag",
      "fetch tweets a b --name urgent\nwait urgent-2", "delay 1ms --count $1 --name d\nwait d d-3",
      "try { wait nothing } catch e { echo $e.code }",
      "try { queue pause nowhere } catch e { echo $e.message }",
      "let q = delay 1ms\ntry { echo $q.nope } catch e { echo a }",
      "source $1\nwait anything\nqueue pause some", "ops ready finished succeeded cancelled",
      "events filter questions-*", "fetch questions\nwait questions-*",
      "delay 1ms\nwait 1 last all",
      "queue barrier\nwait barrier-1", "fetch tweets swift c\nwait tweets-2",
      "quotes sync\nwait all", "get /\nwait get-1\npost / --body a\nwait post-1",
      "run true\nwait run-1", "let q = queue new slow\nqueue pause $q\nqueue resume slow",
      "queue use network\nqueue pause system\nqueue resume system",
      "let q = fetch questions\nwait $q\nif ($q.state == finished and $q.outcome != failed) { echo $q.items }",
      "let q = fetch questions\nif ($q.finished == null) { echo waiting }",
      "let q = fetch questions\nif ($q.queue == network and $q.id == 1) { echo a }",
      "let q = fetch questions --count 2\nfor o in $q { echo $o.anything }",
      "let x = 5\nlet x = \"text\"\nif ($x == true) { echo a }",
      "for x in 1 2s true { if ($x == 2s) { echo a } }",
      "def f v { if ($v == finished) { echo a }; if ($v == 5) { echo b } }\nf 5",
      "if ($1 == 5 or $1 == true) { echo a }", "if (\"5\" == 5) { echo a }",
      "let d = 2s\nif ($d == 2 or $d > 0.5) { echo a }", "let p = 20%\nif ($p >= 10) { echo a }",
      "let t = \"5\"\nif ($t < 7) { echo a }",
      "let q = fetch questions\nif ($q == questions-1) { echo a }",
      "ops --where 'state == ready and items > 3 and error == null'",
      "ops --where 'queue == network or name matches \"a*\"'",
      "ops --where cancelled", "ops --where 'not cancelled and (error or wait > 1)'",
      "ops --where 'duration >= 0.5' --sort -duration", "echo (count of queues where paused)",
      "echo (count of (list(true, false)) where anything)", "echo (one)",
      "let s = 'yes'\nif ($s != \"\") { echo a }", "if (network.paused and true) { echo a }",
      "try { fail x } catch e { if ($e.code == script and $e.line == 1) { echo $e.help } }",
      "let q = fetch questions\nwait $q\necho $q.result.items[0].title $q.error",
      "let e = 5\nif ($e == 5) { echo a }\ntry { fail x } catch e { echo $e.code }",
      "let q = delay 1ms\nif ($q.error or $q.finished and not $q.cancelled) { echo a }",
      "if ($1 or $env.HOME != null) { echo a }",
      "delay 1ms --count 12\necho (count of delay-1?) (count of *-2) (count of d*y-*)",
      "echo (count of a?*)\ndef f n { delay 1ms --name $n }\nf abc",
      "echo (count of ab* where cancelled)\non last finished { delay 1ms --name abc }",
      "echo (count of x-* where outcome == failed)\nsource $1", "group g1 { }\necho (count of g?)",
    ])
  func acceptsGoodScripts(_ text: String) throws {
    let errors = try check(text).filter { $0.severity == .error }
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test(
    "Naming an operation in a script that never creates it is a warning at its place",
    arguments: [
      "show ‸nobody", "why ‸nobody", "result ‸nobody", "log ‸nobody", "deps ‸nobody",
      "queue new slow\nshow ‸nobody", "if (‸nobody.cancelled) { echo a }",
      "def f { log ‸nobody }\nf",
    ])
  func warnsOfQuestions(_ marked: String) throws {
    let text = marked.filter { $0 != "‸" }
    let found = try check(text)
    let mark = try #require(marked.firstIndex(of: "‸"))
    let place = SourceText(name: "", text: text).place(of: marked[..<mark].utf8.count)
    let telling = found.filter { $0.code.hasPrefix("unknown-") }
    #expect(telling.map(\.place) == [place], "\(found)")
    #expect(telling.allSatisfy { $0.help != nil })
    #expect(telling.allSatisfy { $0.severity == .warning })
  }

  @Test(
    "A name that is used too early is reported with the line that creates it",
    arguments: [
      ("show a\n\ndelay 1ms --name a", "it is created only later, at line 3"),
      ("queue show q; queue new q", "it is created only later, at line 1"),
      ("wait delay-2\ndelay 1ms\ndelay 1ms", "it is created only later, at line 3"),
      ("echo (a.state)\ngroup g { delay 1ms --name a }", "it is created only later, at line 2"),
      ("delay 1ms --after delay-1", "this statement creates it"),
      ("wait delay-3\ndelay 1ms --count 2", "this script never creates it"),
    ])
  func tellsOfLaterNames(_ text: String, _ reason: String) throws {
    let found = try check(text).filter { $0.code.hasPrefix("unknown-") }
    #expect(found.count == 1 && found.first?.message.hasSuffix("; " + reason) == true, "\(found)")
  }

  @Test("A loop over the word 'ops' is a warning, because it loops over a single text")
  func warnsOfLoopOverOps() throws {
    let found = try check("for op in ops { echo $op }")
    #expect(found.map(\.code) == ["unknown-collection"])
    #expect(found.first?.severity == .warning)
    #expect(found.first?.help?.contains("for op in all") == true)
    #expect(try check("for op in \"ops\" { echo $op }").isEmpty)
  }

  @Test(
    "Naming an operation that may exist is not a warning",
    arguments: [
      "show $1", "try { show nobody } catch e { echo $e.code }", "log", "log nobody-*", "show last",
      "source $1\nshow nobody", "let n = $1\nwhy $n", "show 3", "deps 1-4", "log all",
    ])
  func isQuiet(_ text: String) throws {
    let found = try check(text)
    #expect(found.filter { $0.code.hasPrefix("unknown-") }.isEmpty, "\(found)")
  }

  @Test(
    "A word that can never name an operation is an error at its place",
    arguments: [
      "wait ‸0", "cancel ‸5-2", "wait ‸1.5", "show ‸5s", "cancel ‸3,0", "ops ‸0",
      "delay 1ms\ndelay 1ms --after ‸0", "def f { log ‸2-1 }\nf",
    ])
  func refusesImpossibleNames(_ marked: String) throws {
    let text = marked.filter { $0 != "‸" }
    let mark = try #require(marked.firstIndex(of: "‸"))
    let place = SourceText(name: "", text: text).place(of: marked[..<mark].utf8.count)
    let found = try check(text)
    #expect(found.map(\.code) == ["unknown-operation"], "\(found)")
    #expect(found.allSatisfy { $0.severity == .error && $0.place == place })
  }

  @Test("A duration in place of an operation leads to the pause that was meant")
  func helpsWithDurations() throws {
    let found = try check("wait 2s")
    #expect(found.map(\.code) == ["unknown-operation"])
    #expect(found.first?.help?.hasPrefix("'sleep 2s' lets time pass") == true)
  }

  @Test(
    "A number where an argument may be meant is a warning that names the argument",
    arguments: [
      ("echo \"${1}\"", "an argument of the script is written '${$1}'"),
      ("echo \"${0}\"", "write the number"),
      ("echo (1 ?? 2)", "an argument of the script is written '$1'"),
      ("echo (0 ?? 2)", "write the value alone"), ("echo ('a' ?? 2)", "write the value alone"),
    ])
  func helpsWithArguments(_ text: String, _ help: String) throws {
    let found = try check(text)
    #expect(found.map(\.severity) == [.warning] && found.first?.help == help, "\(found)")
  }

  @Test("A filter of events by a name that nothing has is a warning")
  func warnsOfFilter() throws {
    #expect(try check("events filter unknown").map(\.code) == ["unknown-operation"])
    for text in [
      "events filter finished", "events filter 'a*'", "delay 1ms\nevents filter delay-1",
    ] {
      #expect(try check(text).isEmpty)
    }
  }

  @Test("A file that is sourced twice uses its names twice", arguments: [("", 1), ("wait\n", 0)])
  func twice(_ end: String, _ count: Int) throws {
    let folder = try ScratchFolder()
    try folder.write("delay 1ms --name a\n" + end, to: "s2.opsh")
    let line = "source '\(folder.path)/s2.opsh'\n"
    let found = try check(line + line)
    #expect(found.map(\.code) == Array(repeating: "reused-name", count: count), "\(found)")
    #expect(found.allSatisfy { $0.line == 2 && $0.source.name == "test.opsh" })
  }

  @Test("Equal positions in two files are not a loop")
  func placesInFiles() throws {
    let folder = try ScratchFolder()
    for name in ["la", "lb"] { try folder.write("queue new q\n", to: "\(name).opsh") }
    let found = try check("source '\(folder.path)/la.opsh'\nsource '\(folder.path)/lb.opsh'")
    #expect(found.map(\.code) == ["bad-name"], "\(found)")
    #expect(found.first?.labels.first?.message == "it is used here")
    #expect(found.first?.labels.first?.source.name.hasSuffix("la.opsh") == true)
  }

  @Test(
    "Reusing a name before any wait is a warning at the second use",
    arguments: [
      "delay 1ms --name a\ndelay 2ms --name ‸a", "repeat 3 { delay 1ms --name ‸dup }",
      "repeat 2 { echo a; group ‸g { delay 1ms } }", "for i in 1..3 { delay 1ms --name ‸d }",
      "for i in a b { delay 1ms --name ‸d; echo $i }",
      "group g { delay 1ms }\ngroup ‸g { delay 1ms }",
      "group g { delay 1ms }\nqueue new ‸g", "fetch questions --name q\npost / --name ‸q",
      "delay 1ms --name a\nwait\ndelay 1ms --name a\nops\ndelay 1ms --name ‸a",
      "repeat 2 { delay 1ms --name ‸a }\nwait",
      "def f { delay 1ms --name a }\nf\n‸f", "def a { delay 1ms --name x }\na\ndelay 1ms --name ‸x",
      "delay 1ms --name x\ndef a { delay 1ms --name x }\n‸a",
      "def f { delay 1ms --name a }\nrepeat 2 { ‸f }",
      "def f { g }\ndef g { delay 1ms --name a }\ng\n‸f",
      "def f { delay 1ms --name a; delay 1ms --name ‸a }\nf",
      "group a { delay 1ms --name b }\ngroup c { delay 1ms --name ‸b }",
      "def f { group g { delay 1ms } }\nf\n‸f",
      "command delay 1ms --name a\ncommand delay 1ms --name ‸a",
    ])
  func warnsOfReuse(_ marked: String) throws {
    let text = marked.filter { $0 != "‸" }
    let mark = try #require(marked.firstIndex(of: "‸"))
    let place = SourceText(name: "", text: text).place(of: marked[..<mark].utf8.count)
    let found = try check(text).filter { $0.code == "reused-name" || $0.code == "bad-name" }
    #expect(found.map(\.place) == [place], "\(found)")
    #expect(found.allSatisfy { $0.severity == .warning && $0.labels.count == 1 })
  }

  @Test(
    "Reusing a name after a possible wait is not a warning",
    arguments: [
      "delay 1ms --name a\nwait\ndelay 1ms --name a",
      "for i in 1..3 { delay 1ms --name d; wait d }",
      "repeat 2 { delay 1ms --name a; wait }", "repeat 2 { expect (1 == 1); delay 1ms --name a }",
      "delay 1ms --name a\nexpect (a.state == finished) within 1s\ndelay 1ms --name a",
      "delay 1ms --name a\nsleep 1s\ndelay 1ms --name a",
      "time delay 1ms --name a\ndelay 1ms --name a",
      "delay 1ms --name a\nqueue drain\ndelay 1ms --name a",
      "delay 1ms --name a\nwhile (a.state != finished) { echo $# }\ndelay 1ms --name a",
      "def settle { wait }\ndelay 1ms --name a\nsettle\ndelay 1ms --name a",
      "delay 1ms --name a\ncancel a\ndelay 1ms --name a",
      "alias w = wait\ndelay 1ms --name a\nw\ndelay 1ms --name a",
      "group g { delay 1ms }\nwait g\nqueue new g", "for i in 1..1 { delay 1ms --name d }",
      "for op in delay-* { delay 1ms --name d }", "!true\ndelay 1ms --name a",
      "delay 1ms --name a\n!sleep 1\ndelay 1ms --name a",
      "def f { delay 1ms --name a; wait a }\nf\nf", "def f { wait; delay 1ms --name a }\nf\nf",
      "def settle { pause }\ndef pause { sleep 1s }\ndelay 1ms --name a\nsettle\ndelay 1ms --name a",
      "def f { if ($1) { delay 1ms --name a } }\nf\nf",
      "def f { delay 1ms --name a }\nif ($1) { f }\nf",
      "def f { delay 1ms --name a }\nf\nwait\nf", "def f { return; delay 1ms --name a }\nf\nf",
      "def f { delay 1ms --name a }\nrepeat 2 { f; wait }", "def f { f }\nf\nf",
      "def settle { wait }\nrepeat 2 { delay 1ms --name a; settle }",
      "group a { delay 1ms --name b }\nwait a\ngroup c { delay 1ms --name b }",
      "group g { queue new q }", "group a --count 2 { delay 1ms --name b }",
      "on queue network empty { delay 1ms --name b }\ndelay 1ms --name b",
    ])
  func acceptsReuse(_ text: String) throws {
    let found = try check(text).filter { $0.code == "reused-name" || $0.code == "bad-name" }
    #expect(found.isEmpty, "\(found)")
  }

  @Test(
    "Unreachable code is a warning with the reason",
    arguments: [
      "while (true) { echo a }\n‸echo b",
      "def f { if ($1) { return 1 } else { return 2 }\n‸echo a }\nf",
      "fail x\n‸echo a", "if (false) { ‸echo a; echo b }", "while (false) { ‸echo a }",
      "block { fail x; ‸echo a }",
      "repeat 2 { try { fail x } catch e { continue } }\necho b",
    ])
  func warnsOfUnreachable(_ marked: String) throws {
    let found = try check(marked.filter { $0 != "‸" }).filter { $0.code == "unreachable" }
    #expect(found.count == (marked.contains("‸") ? 1 : 0), "\(found)")
    #expect(found.allSatisfy { $0.severity == .warning && !$0.labels.isEmpty && $0.help != nil })
  }

  private static let buildCommands: [String] = CommandRegistry.signatures.filter {
    $0.shellCommand?.builds != nil
  }.map { $0.fullName }

  @Test(
    "A command that builds operations declares their names",
    arguments: buildCommands)
  func createdNames(name: String) throws {
    let signature = try #require(CommandRegistry.signatures.first { $0.fullName == name })
    let command = try #require(signature.shellCommand)
    let calls = signature.examples.flatMap { example in
      let source = SourceText(name: "example", text: example.text)
      return Parser.parse(source).statements.compactMap { statement -> CommandCall? in
        guard case .command(let command) = statement.kind else { return nil }
        return command.call(in: source, CommandRegistry.catalog)
      }
    }.filter { $0.signature.fullName == name }
    #expect(!calls.isEmpty)
    for call in calls {
      let names = command.names(createdBy: call)
      #expect(names.contains { $0.namespace == "operation" })
      // After a command that may create any name, every name would be accepted.
      let isOpen = names.contains { $0.extent == .anything }
      #expect(isOpen == ["quotes read", "quotes sync"].contains(name))
    }
  }

  @Test(
    "An error in an alias is shown in the script, at the use and at the definition",
    arguments: ["alias s = source none.opsh\n\n\ns", "alias s = wait nope-7\n\n\n  s"])
  func aliases(_ text: String) throws {
    let errors = try check(text).filter { $0.severity == .error }
    #expect(errors.map(\.line) == [1, 4], "\(errors)")
    #expect(errors.last?.column == (text.hasSuffix("  s") ? 3 : 1))
  }

  @Test("Help about fault names has a readable length")
  func shortHelp() throws {
    let help = try #require(try check("server fault nope").first?.help)
    #expect(help.count < 700)
  }

  @Test("JSON errors have an end and related places, and differ from warnings")
  func data() throws {
    let outcome = try Opsh.run("def f a a { echo $a }\nlet x = 1", options: ["--check", "--json"])
    #expect(outcome.status == 2)
    let objects = try outcome.output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let short = try #require(objects.first { $0["type"] as? String == "error" })
    #expect(short["code"] as? String == "duplicate-parameter" && short["labels"] == nil)
    let all = objects.filter { $0["type"] as? String == "diagnostic" }
    #expect(all.map { $0["severity"] as? String } == ["error", "warning"])
    let error = try #require(all.first)
    #expect(error["code"] as? String == "duplicate-parameter")
    #expect(error["line"] as? Int == 1 && error["column"] as? Int == 9)
    #expect(error["end"] as? [String: Int] == ["line": 1, "column": 10])
    #expect(error["help"] as? String == "give one of them another name")
    let label = try #require((error["labels"] as? [[String: Any]])?.first)
    #expect(label["start"] as? [String: Int] == ["line": 1, "column": 7])
    #expect(label["end"] as? [String: Int] == ["line": 1, "column": 8])
    #expect(all.last?["code"] as? String == "unused-variable")
  }

  @Test("An error without a statement has a place")
  func alwaysAPlace() throws {
    let late = try Opsh.run("echo a\nsleep 20s", options: ["--timeout", "300ms"])
    #expect(late.status == 124)
    #expect(late.errors.contains("-c:2:1: error: the run took longer"), "\(late.errors)")
  }
}
