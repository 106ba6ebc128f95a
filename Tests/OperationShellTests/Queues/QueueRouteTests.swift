import Operations
import ShellLanguage
import Testing

@Suite("Queue routes", .timeLimit(.minutes(15)))
struct QueueRouteTests {
  @Test("Operations of an API go to its queue unless another queue is given")
  func route() throws {
    let fixture = try ShellFixture(
      """
      queue route answers system; queue route requests system
      fetch answers --pagesize 1; fetch questions --pagesize 1
      fetch answers --pagesize 1 --queue network; get '/2.3/info?site=stackoverflow'
      group g { fetch answers --pagesize 1 --name inner }
      wait
      """)
    for (name, queue) in [
      ("answers-1", "system"), ("questions-1", "network"), ("answers-2", "network"),
      ("get-1", "system"), ("inner", "g"),
    ] {
      #expect(try fixture.operation(name).queue?.name == queue, "\(name)")
    }
    let table = try fixture.output(of: "queue route")
    #expect(table.contains { $0.hasPrefix("answers") && $0.contains("system") })
    #expect(try fixture.output(of: "queue route answers") == ["system"])
  }

  @Test("Every API and every kind of work can have its own queue")
  func kinds() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(
      """
      queue new mine --width 3
      for kind in tweets quotes requests downloads programs { queue route $kind mine }
      fetch tweets swift linux --per-tag 1; fetch quotes --limit 1
      head '/2.3/info?site=stackoverflow'
      download '/2.3/info?site=stackoverflow' '\(folder.path)/info'
      run true; quotes sync
      wait
      let kept = quotes list --limit 1
      quotes read $kept[0].id --name counted; wait
      """, keepingIn: folder)
    for name in [
      "tweets-1", "tweets-2", "quotes-1", "head-1", "download-1", "run-1", "quotes-2", "counted",
    ] {
      #expect(try fixture.operation(name).queue?.name == "mine", "\(name)")
    }
    try fixture.run("queue route quotes none; quotes sync --name own; wait")
    #expect(try fixture.operation("own").queue?.name == "quotes")
  }

  @Test("A route can be removed, and ends with its queue")
  func none() throws {
    let fixture = try ShellFixture(
      """
      queue route answers system; queue route answers none
      queue new spare; queue route questions spare; queue remove spare
      fetch answers --pagesize 1; fetch questions --pagesize 1; wait
      """)
    #expect(try fixture.operation("answers-1").queue?.name == "network")
    #expect(try fixture.operation("questions-1").queue?.name == "network")
    #expect(try fixture.error(of: "queue route answers nowhere").code == "unknown-queue")
  }
}
