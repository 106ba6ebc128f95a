import Foundation
import TestSupport
import Testing

@Suite("--json", .timeLimit(.minutes(15)))
struct JSONTests {
  /// Uses every command that prints, and each kind of output.
  static let everything = """
    echo "hello $1"
    let q = fetch questions --pagesize 2
    observe questions-1 isFinished isExecuting --options initial,prior,old,new
    observe queue network operationCount
    observe questions-1 progress { echo "progress $change.new" }
    on questions-1 finished { echo "done" }
    ops
    queue
    queue show network
    queue new side --width 1
    queue pause side
    delay 1ms --queue side --name waiting
    why waiting
    deps waiting on questions-1
    deps waiting
    queue order side
    queue route quotes
    queue resume side
    wait
    result questions-1
    show questions-1
    show 1-2
    log questions-1
    log
    observers
    unobserve 1
    expect ($q.outcome == succeeded)
    block { echo "from a body"; ops }
    wait
    echo "to a file" > file.txt
    echo "one\\ntwo"
    echo "through a program" | cat
    ops | cat
    (1 + 2)
    ("two\\nlines")
    try { fail "x" } catch e { echo $e.message }
    try { expect (1 == 2) } catch e { echo $e.code }
    server
    server latency 1ms
    server fault stall 5 --route /search.json --duration 1ms
    server faults stall
    server faults
    server log
    server start
    serve
    serve off
    endpoint
    events
    history
    apropos queue
    version
    time delay 1ms
    help
    help echo
    stats
    stats threads
    timeline
    tree
    set
    tags add swift
    tags
    fetch questions --pagesize 1 --cached --name kept
    quotes sync
    wait
    cache
    quotes
    delay 10s --name c
    cancel c
    wait
    diagram c
    record all.opshrec; record off
    echo "a\\tb \\u{1F600} \\" \\\\ \\u{1B} \\u{2028}"
    """

  @Test("Standard output has only lines with valid objects")
  func everyCommand() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.everything + "\n", to: "all.opsh")
    let outcome = try Opsh.run(
      ["--json", "--data", folder.path + "/data", file, "you"], directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = JSONContract.lines(of: outcome)
    let seen = Set(lines.map(\.type))
    let wanted = Set(JSONContract.keys.keys).subtracting(["error", "diagnostic"]).union(["change"])
    #expect(
      seen == wanted, "missing: \(wanted.subtracting(seen)); other: \(seen.subtracting(wanted))")
    // Output of programs goes to standard error.
    #expect(outcome.errors.contains("through a program"))
    #expect(!outcome.output.contains("through a program"))
    #expect(folder.read("file.txt")?.contains("to a file") == true)
    let echoed = lines.filter { $0.string("command") == "echo" }.compactMap { $0.string("text") }
    #expect(echoed.first == "hello you")
    #expect(echoed.last == "a\tb \u{1F600} \" \\ \u{1B} \u{2028}")
    #expect(echoed.contains("one\ntwo"), "one text is one object")
    for text in ["done", "from a body", "x", "expectation-failed"] {
      #expect(echoed.contains(text), "\(text)")
    }
  }

  @Test("An operation's object has the documented values")
  func operationObject() throws {
    let outcome = try Opsh.text(
      "queue pause; fetch questions --pagesize 3 --name q --priority high --qos utility; "
        + "delay 1ms --name d --after q --on-failure skip; ops; queue resume; wait; show q",
      options: ["--json"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = JSONContract.lines(of: outcome).filter { $0.type == "operation" }
    try #require(lines.count == 3)
    let (waiting, dependent, finished) = (lines[0], lines[1], lines[2])
    #expect(waiting.integer("id") == 1)
    #expect(waiting.string("kind") == "fetch questions")
    #expect(waiting.string("queue") == "network")
    #expect(waiting.string("state") == "ready")
    #expect(waiting.string("priority") == "high")
    #expect(waiting.string("qos") == "utility")
    for key in ["outcome", "error", "started", "finished", "status", "items"] {
      #expect(waiting.isNull(key), "\(key)")
    }
    #expect(waiting.integer("attempts") == 0)
    let dependents = waiting.members["dependents"] as? [[String: Any]] ?? []
    #expect(dependents.count == 1)
    #expect(Set(dependents.first.map { Array($0.keys) } ?? []) == ["id", "name"])
    #expect(dependents.first?["name"] as? String == "d")
    let dependencies = dependent.members["dependencies"] as? [[String: Any]] ?? []
    #expect(Set(dependencies.first.map { Array($0.keys) } ?? []) == ["id", "name", "policy"])
    #expect(dependencies.first?["policy"] as? String == "skip")
    #expect(dependent.string("state") == "pending")
    #expect(finished.string("state") == "finished")
    #expect(finished.string("outcome") == "succeeded")
    #expect(finished.integer("status") == 200)
    #expect(finished.integer("items") == 3)
    #expect(finished.integer("attempts") == 1)
    #expect((finished.integer("bytes") ?? 0) > 0)
    let times = ["created", "ready", "started", "finished"].compactMap {
      (finished.members[$0] as? NSNumber)?.doubleValue
    }
    #expect(times.count == 4)
    #expect(times == times.sorted())
    #expect(times.allSatisfy { $0 >= 0 && $0 <= finished.elapsed })
  }

  @Test("A failed operation's error is an object with code and message")
  func failedOperation() throws {
    let outcome = try Opsh.text(
      "block { fail \"the reason\" }; wait --any-outcome; ops", options: ["--json"])
    let line = JSONContract.lines(of: outcome).first { $0.type == "operation" }
    let error = line?.object("error") ?? [:]
    #expect(Set(error.keys) == ["code", "message"])
    #expect(error["code"] as? String == "script")
    #expect((error["message"] as? String)?.contains("the reason") == true)
  }

  @Test("why prints reasons with code, text, subject and fix, the root cause last")
  func whyObject() throws {
    let outcome = try Opsh.text(
      "queue pause; fetch questions; fetch answers --after questions-1; why answers-1; quit --now",
      options: ["--json"])
    let line = try #require(JSONContract.lines(of: outcome).first { $0.type == "why" })
    let reasons = line.members["reasons"] as? [[String: Any]] ?? []
    #expect(reasons.count >= 2)
    for reason in reasons {
      #expect(Set(reason.keys) == ["code", "text", "subject", "cure"])
    }
    let texts = reasons.compactMap { $0["text"] as? String }.joined(separator: "\n")
    #expect(texts.contains("questions-1"))
    #expect(texts.contains("paused"))
    #expect((reasons.last?["text"] as? String)?.contains("paused") == true, "the root: \(texts)")
  }

  @Test("A result is the complete value, and a record contains the transition")
  func resultAndRecord() throws {
    let outcome = try Opsh.text(
      "fetch questions --pagesize 2; wait; result last; log last", options: ["--json"])
    let lines = JSONContract.lines(of: outcome)
    let value = lines.first { $0.type == "result" }?.object("value") ?? [:]
    #expect((value["items"] as? [Any])?.count == 2)
    #expect(value["has_more"] as? Bool == true)
    let records = lines.filter { $0.type == "record" }
    let transitions = lines.filter { $0.type == "transition" }
    #expect(records.count == 4)
    for (record, transition) in zip(records, transitions) {
      let recorded = record.object("transition")
      #expect(Set(recorded.keys).isSuperset(of: JSONContract.keys["transition"] ?? []))
      #expect(recorded["to"] as? String == transition.string("to"))
      // The line reports the earlier event with its time.
      #expect(record.string("time") == transition.string("time"))
    }
  }

  @Test("Each change of an observed property is an object")
  func changes() throws {
    let outcome = try Opsh.text(
      "delay 1ms --hold --name d; observe d isFinished --options initial,prior,old,new; "
        + "start d; wait; wait d", options: ["--json"])
    let changes = JSONContract.lines(of: outcome).filter { $0.type == "change" }
    try #require(changes.count == 3)
    #expect(changes.map { $0.flag("initial") } == [true, false, false])
    #expect(changes.map { $0.flag("prior") } == [false, true, false])
    #expect(changes.map { $0.string("keyPath") } == ["isFinished", "isFinished", "isFinished"])
    #expect(changes[2].flag("old") == false)
    #expect(changes[2].flag("new") == true)
    #expect(changes.allSatisfy { $0.object("operation")["name"] as? String == "d" })
  }

  @Test("An expectation prints the actual values, met or not")
  func expectations() throws {
    let outcome = try Opsh.text("expect (1 == 1)\nlet x = 3\nexpect ($x == 4)", options: ["--json"])
    #expect(outcome.status == 1)
    let lines = JSONContract.lines(of: outcome)
    let expectations = lines.filter { $0.type == "expectation" }
    #expect(expectations.map { $0.flag("met") } == [true, false])
    #expect(expectations.last?.string("seen")?.contains("3") == true)
    #expect(lines.count { $0.type == "error" } == 1)
    #expect(try Opsh.text("expect (1 == 1)").output == "", "in text nothing is said of met ones")
  }

  @Test("Every kind of end prints a summary")
  func everyEnd() throws {
    for arguments in [
      ["-c", ""], ["-c", "ecko"], ["-c", "exit 7"], ["-c", "fail \"no\""], ["-c", "quit --now"],
      ["--check", "-c", "echo x"], ["--check", "-c", "ecko"], ["/nonexistent"],
      ["--timeout", "20ms", "-c", "sleep 60s"], [],
    ] {
      let outcome = try Opsh.run(["--json"] + arguments)
      #expect(!JSONContract.lines(of: outcome).isEmpty, "\(arguments)")
    }
  }

  @Test("Every error on standard error is also an object")
  func everyErrorIsAnObject() throws {
    for arguments in [
      ["-c", "ecko"], ["-c", "fail \"no\""], ["-c", "queue pause; delay 1ms"],
      ["-c", "block { fail \"no\" }"], ["/nonexistent"], ["--timeout", "20ms", "-c", "sleep 60s"],
    ] {
      let outcome = try Opsh.run(["--json"] + arguments)
      let errors = JSONContract.lines(of: outcome).filter { $0.type == "error" }
      #expect(errors.count == 1, "\(arguments): \(outcome.output)")
      #expect(outcome.errors.contains(errors.first?.string("message") ?? "no error"))
    }
  }

  @Test("Lines of concurrent threads are not mixed")
  func manyThreads() throws {
    let outcome = try Opsh.text(
      "queue width 20; repeat 20 { block { for i in (1..50) { echo \"line $i of $self.name\" } } }",
      options: ["--json"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = JSONContract.lines(of: outcome)
    #expect(lines.count { $0.type == "message" } == 1000)
    let first = lines.filter { $0.string("text")?.hasSuffix("of block-7") == true }
    #expect(first.compactMap { $0.string("text") } == (1...50).map { "line \($0) of block-7" })
  }

  @Test("In JSON an empty list prints no line, for every command")
  func emptyLists() throws {
    let folder = try TemporaryFolder()
    let lists = [
      "ops", "ops finished", "ops --where 'state == ready'", "log", "stats", "tree", "observers",
      "alias", "history", "tags list", "tags", "quotes list", "quotes", "cache list", "cache",
      "server log", "queue order", "apropos zzzz",
    ]
    let whole = try Opsh.run(
      ["--json", "--no-rc", "--data", folder.path, "-c", lists.joined(separator: "\n")])
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(JSONContract.lines(of: whole).map(\.type) == ["summary"], "\(whole.output)")
    let single = lists.map { "\($0) --json" }.joined(separator: "\n")
    let alone = try Opsh.run(["--no-rc", "--data", folder.path, "-c", single])
    #expect(alone.status == 0, "\(alone.errors)")
    #expect(alone.output == "")
    // In text mode there is a message.
    let told = try Opsh.run(
      ["--no-rc", "--data", folder.path, "-c", lists.joined(separator: "\n")])
    #expect(told.outputLines.count >= lists.count - 1, "\(told.output)")
  }

  @Test("The summary is the last object, even if the body of a finished operation runs on")
  func bodyRunsOn() throws {
    for _ in 0..<20 {
      let outcome = try Opsh.text(
        "async b { while (true) { echo z } }; sleep 5ms; finish b; quit --now",
        options: ["--json"])
      let last = outcome.output.split(separator: "\n").last ?? ""
      #expect(last.hasPrefix(#"{"type":"summary""#), "\(last)")
    }
  }
}
