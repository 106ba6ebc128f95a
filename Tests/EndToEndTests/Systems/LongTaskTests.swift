import TestSupport
import Testing

/// System 5: the long-running task in pieces, with quotes.
@Suite("The long task", .timeLimit(.minutes(15)))
struct LongTaskTests {
  private let system: SystemScript

  init() throws {
    system = try SystemScript()
  }

  @Test("A sync is a group of download, parse and save, each depending on the one before")
  func group() throws {
    let lines = try system.lines(
      """
      quotes sync --hold; start quotes-1; wait
      expect (download-1.finished <= parse-1.started and parse-1.finished <= save-1.started)
      expect (quotes-1.started <= download-1.started and save-1.finished <= quotes-1.finished)
      tree; ops
      """)
    let objects = lines.filter { $0.type == "operation" }
    #expect(
      objects.map(\.operationName).sorted() == ["download-1", "parse-1", "quotes-1", "save-1"])
    let before = objects.reduce(into: [String: [String]]()) { found, line in
      let edges = line.members["dependencies"] as? [[String: Any]] ?? []
      found[line.operationName] = edges.compactMap { $0["name"] as? String }
    }
    #expect(before["parse-1"] == ["download-1"] && before["save-1"] == ["parse-1"])
    let tree = try system.text("quotes sync; wait; tree").output
    for part in ["download-1", "parse-1", "save-1"] {
      #expect(tree.contains(try Regex("quotes-1(.|\n)*\(part)")), "\(tree)")
    }
  }

  @Test("The download passes its data to the parser, as any operation can")
  func handedOn() throws {
    let outcome = try system.text(
      """
      quotes sync; wait
      result parse-1
      fetch quotes --limit 3 --name download
      block --name parse --after download { ($input[0].results) }
      block --name show --after parse { for quote in $input[0] { echo "q $quote.objectId" } }
      wait
      """)
    #expect(outcome.outputLines.count { $0.hasPrefix("q ") } == 3)
  }

  @Test("Quotes are updated by id, created if missing, and skipped if malformed")
  func merged() throws {
    let headers =
      "--header 'X-Parse-Application-Id: opsh' --header 'X-Parse-REST-API-Key: practice'"
    let outcome = try system.text(
      """
      quotes sync; wait; result quotes-1
      let q = quotes list --limit 1
      put "/1/classes/Quote/${$q[0].id}" --json '{"text":"Changed on the server"}' \(headers)
      post /1/classes/Quote --json '{"author":"Nobody"}' \(headers)
      wait
      quotes sync; wait; result quotes-2
      let changed = (quotes-2.result.updated)
      expect ($changed == 1 and quotes-2.result.created == 0)
      quotes list --limit 2
      """)
    #expect(outcome.output.contains("Changed on the server"))
    #expect(outcome.output.contains("passed over"), "\(outcome.output)")
    // Atomic: a failure in the middle keeps the old data.
    try system.text(
      """
      let before = quotes list > /dev/null
      server fault truncated-body; quotes sync; wait --any-outcome
      let after = quotes list > /dev/null
      expect ($before == $after and quotes-1.outcome == failed)
      """)
  }

  @Test(
    "Any method is possible; reading a quote increments its count on the server")
  func counted() throws {
    let outcome = try system.text(
      """
      quotes sync; wait
      let q = quotes list --limit 1
      let path = "/1/classes/Quote/${$q[0].id}"
      quotes read $q[0].id; wait
      quotes read $q[0].id; wait
      let now = quotes list --limit 1
      expect ($now[0].reads == $q[0].reads + 2)
      server log
      """)
    #expect(outcome.output.contains(/PUT +200 .*\/1\/classes\/Quote\//))
  }

  @Test("The queue of quotes has a name, width 1 and quality of service userInitiated")
  func queue() throws {
    let lines = try system.lines(
      """
      quotes sync; quotes sync; wait
      expect (quotes-1.finished <= quotes-2.started)
      expect (quotes-1.queue == quotes and quotes-1.qos == userInitiated)
      queue show quotes
      """)
    let queue = try #require(lines.first { $0.type == "queue" })
    #expect(queue.string("name") == "quotes" && queue.integer("width") == 1)
  }

  @Test("A handler of the end reloads the view")
  func reload() throws {
    let outcome = try system.text(
      """
      quotes sync --hold
      on quotes-1 finished { quotes list --limit 3 }
      start quotes-1; wait
      """)
    #expect(outcome.output.contains(" unread, synced "))
    #expect(outcome.outputLines.count == 5)
  }
}
