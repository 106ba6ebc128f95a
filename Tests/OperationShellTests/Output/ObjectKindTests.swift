import Foundation
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellCommands
@testable import ShellSession

@Suite("Objects of --json", .timeLimit(.minutes(15)))
struct ObjectKindTests {
  /// Commands that print each kind at least once.
  private static let script = """
    server fault status-503 100% --duration 1s; get /2.3/sites --name r --retry 1; server fault off
    wait --any-outcome
    group sync --hold { delay 5ms --name load; delay 5ms --name parse --after load }
    delay 1ms --name last-one --after r
    cancel last-one; queue pause; delay 1ms --name paused; why; queue order; queue resume; wait paused
    tags add swift
    quotes sync; wait
    fetch questions --cached --pagesize 1; wait
    stats; stats threads; queue route; timeline; blame; tree; tree sync; deps parse; deps load; deps --graph
    diagram load; doctor; why load; server faults; server log
    tags; quotes; cache; server; endpoint; endpoint quotes; set; set seed
    start sync; wait
    serve; serve off
    get /cookies/set?a=b --name twice; wait twice; show twice --attempts
    record run; record off
    """

  /// The types that every session prints, which 'help json' explains in words.
  private static let common: Set<String> = [
    "transition", "change", "operation", "queue", "result", "record", "expectation", "error",
    "message", "summary",
  ]

  @Test("The reference lists exactly the keys that the commands print")
  func keys() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      Self.script, options: ["--json", "--data", folder.path], directory: folder.path)
    let envelope = ["type", "sequence", "time", "elapsed"]
    var seen: Set<String> = []
    let virtual = try Opsh.run("set clock virtual; delay 1s; next; back", options: ["--json"])
    for line in (outcome.output + virtual.output).split(separator: "\n") {
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let type = try #require(object["type"] as? String)
      guard let kind = ObjectKind.all.first(where: { $0.type == type }) else {
        #expect(Self.common.contains(type), "\(line)")
        continue
      }
      seen.insert(type)
      #expect(try RepeatedKeys.of(String(line)) == [], "\(line)")
      let known = Set(envelope + kind.keys.map(\.name))
      #expect(known.isSuperset(of: object.keys), "\(line)")
      #expect(kind.optional.isSuperset(of: known.subtracting(object.keys)), "\(line)")
    }
    // Only a prompt has lines that were typed.
    seen.insert("line")
    #expect(seen == Set(ObjectKind.all.map(\.type)), "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains(#""operation":{"id":3,"name":"load"},"reasons":"#))
    #expect(outcome.output.contains(#""operation":null,"queue":"network","reasons":"#))
    let commands = [
      "stats", "timeline", "blame", "tree", "deps", "tags", "quotes", "cache", "endpoint", "set",
    ]
    for command in commands {
      #expect(!outcome.output.contains("\"type\":\"message\",\"command\":\"\(command)"))
    }
    for kind in ObjectKind.all {
      #expect(Reference.text.contains("### \(kind.type)\n"))
      for key in kind.keys { #expect(Reference.text.contains("- `\(key.name)`: \(key.meaning)")) }
    }
  }

  @Test("The object of 'serve' has the whole secret each time, and no other object has it")
  func servedAddress() throws {
    let outcome = try Opsh.run(
      "let url = serve --json; serve --json; echo $url; serve off", options: ["--json"])
    let lines = outcome.output.split(separator: "\n")
    let urls = lines.compactMap { $0.firstMatch(of: #/"url":"[^"]*#([^"]*)"/#)?.1 }
    #expect(urls.count == 2 && Set(urls).count == 1, "\(outcome.output)\(outcome.errors)")
    let secret = try #require(urls.first)
    #expect(secret.count > 20 && !secret.contains("*"))
    #expect(lines.contains { $0.contains(#""command":"echo""#) && !$0.contains(secret) })
  }

  @Test("Operations in rows are {id, name}; a cancelled operation has no unmet dependencies")
  func rows() throws {
    let fixture = try ShellFixture(
      "queue pause; delay 1ms --name a; delay 1ms --name b --after a; delay 1ms --name c --after b")
    let tree = try fixture.output(of: "tree c --json")
    #expect(tree.count == 3)
    #expect(tree.allSatisfy { $0.contains(#"{"type":"tree""#) })
    #expect(tree[2].contains(#""operation":{"id":1,"name":"a"}"#))
    #expect(tree[2].contains(#""parent":{"id":2,"name":"b"}"#))
    #expect(try fixture.output(of: "deps b --json").count == 2)
    try fixture.run("cancel c")
    #expect(try fixture.output(of: "tree c").count == 1)
    #expect(try fixture.output(of: "deps c --json").allSatisfy { $0.contains("\"ignored\":true") })
    #expect(try fixture.output(of: "deps c").first == "c is cancelled and ignores")
  }
}
