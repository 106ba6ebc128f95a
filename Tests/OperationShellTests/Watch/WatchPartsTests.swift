import Operations
import OpshTerminal
import ShellOutput
import TestSupport
import Testing

@testable import ShellCommands
@testable import ShellSession
@testable import ViewCommands

@Suite("Parts of watch", .timeLimit(.minutes(5)))
struct WatchPartsTests {
  @Test("The chart is as high as the most that executed, and something is never nothing")
  func chart() {
    #expect(WatchStrip.rows([0, 1, 4, 8], columns: 6, rows: 1, isASCII: false) == ["   ▁▄█"])
    #expect(
      WatchStrip.rows([1, 16], columns: 2, rows: 2, isASCII: false) == [" █", "▁█"])
    #expect(WatchStrip.rows([100, 1], columns: 1, rows: 1, isASCII: true) == ["#"])
    #expect(WatchStrip.rows([], columns: 3, rows: 1, isASCII: false) == ["   "])
  }

  @Test("The chart shows how many executed by the time of the session, in each column the most")
  func history() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue width unlimited
      sleep 1050ms; delay 300ms; delay 100ms; sleep 400ms; delay 1h; sleep 250ms
      """)
    var history = WatchHistory()
    history.follow(fixture.session.jobs.engine.log)
    let now = fixture.session.run.clock.now
    func samples(_ columns: Int, _ slot: Int) -> [Int] {
      history.samples(columns: columns, of: .milliseconds(slot), executing: 1, at: now)
    }
    // From 1.05 s two executed, from 1.15 s one, from 1.35 s none, and from 1.45 s one; it is 1.7 s.
    #expect(samples(8, 100) == [0, 2, 2, 1, 1, 1, 1, 1])
    #expect(samples(3, 200) == [2, 1, 1])
    #expect(samples(2, 1_000) == [0, 2])
    #expect(samples(0, 100).isEmpty)
    #expect(samples(400, 200).count == 400)
  }

  @Test(
    "A column stands for a round time in which the whole session has room, and for 200 ms at most",
    arguments: [(0, 1), (50, 1), (101, 2), (999, 10), (4_000, 50), (19_000, 200), (900_000, 200)])
  func slots(_ elapsed: Int, _ slot: Int) {
    let found = WatchHistory.slot(for: .milliseconds(elapsed), columns: 100)
    #expect(found == .milliseconds(slot))
  }

  @Test("Rows stand in the order in which each queue is to start its operations")
  func line() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue width 1; queue new side --width 1
      delay 1s --name runs
      delay 1s --name low --priority low
      delay 1s --name second
      delay 1s --name first --priority veryHigh
      delay 1s --name after-first --after first
      delay 1s --name side-runs --queue side; delay 1s --name side-waits --queue side
      delay 1s --name held --hold
      """)
    let jobs = fixture.session.jobs
    fixture.session.run.mode.runDueEvents()
    var operations = WatchedOperations(jobs.operations)
    operations.refresh()
    operations.readLines(of: jobs.allQueues)
    let names = operations.ordered(by: .line).map(\.displayName)
    let told = try fixture.output(of: "queue order").dropFirst().map {
      String($0.split(separator: " ")[1])
    }
    #expect(
      names == [
        "runs", "side-runs", "first", "second", "after-first", "low", "side-waits", "held",
      ])
    #expect(names.filter { told.contains($0) } == told)
    let places = operations.places
    // The first of them executes; the one after it is the next.
    for (index, name) in told.enumerated().dropFirst() {
      #expect(places[try fixture.operation(name).id] == index)
    }
    #expect(places[try fixture.operation("runs").id] == nil)
    #expect(places[try fixture.operation("held").id] == nil)
  }

  @Test("Keys have their actions, and others none")
  func actions() {
    #expect(WatchAction(.character("p"), isVirtual: false) == .pause)
    #expect(WatchAction(.character("t"), isVirtual: false) == nil)
    #expect(WatchAction(.character("t"), isVirtual: true) == .time("sleep 100ms"))
    #expect(WatchAction(.character("z"), isVirtual: false) == nil)
    #expect(WatchAction(.paste("c"), isVirtual: false) == nil)
    #expect(WatchAction(.interrupt, isVirtual: false) == .leave)
    #expect(WatchAction(.enter, isVirtual: false) == .show)
  }

  @Test("Orders put what executes and what waits before what has finished")
  func orders() throws {
    let fixture = try ShellFixture(
      """
      queue width 1
      delay 1ms --name done
      wait
      delay 1h --name runs
      delay 1h --name waits
      delay 1h --name depends --after runs
      delay 1h --name urgent --priority veryHigh
      expect (runs.state == executing) within 20s
      """)
    var operations = WatchedOperations(fixture.session.jobs.operations)
    operations.refresh()
    operations.readLines(of: fixture.session.jobs.allQueues)
    func names(_ order: WatchView.Order) -> [String] {
      operations.ordered(by: order).map(\.displayName)
    }
    #expect(names(.line) == ["runs", "urgent", "waits", "depends", "done"])
    #expect(names(.id) == ["done", "runs", "waits", "depends", "urgent"])
    #expect(names(.waiting) == ["waits", "depends", "urgent", "runs", "done"])
    #expect(names(.priority).first == "urgent")
    #expect(names(.priority).last == "done")
    #expect(names(.queue).count == 5)
    #expect(operations.counts == .init(executing: 1, waiting: 3, finished: 1, failed: 0))
    let filter = WatchFilter("delay READY")
    let matching = operations.ordered(by: .id).filter(filter.matches)
    #expect(matching.map(\.displayName) == ["waits", "urgent"])

    try fixture.run("cancel runs; expect (urgent.state == executing) within 20s")
    operations.refresh()
    #expect(names(.line).prefix(1) == ["urgent"])
    #expect(names(.line).suffix(2) == ["runs", "done"])
  }

  @Test("Records that are dropped leave the list")
  func dropped() throws {
    let fixture = try ShellFixture("set keep 5; delay 1ms --count 30; wait")
    var operations = WatchedOperations(fixture.session.jobs.operations)
    operations.refresh()
    try fixture.run("delay 1ms --count 20; wait; delay 1ms; wait")
    operations.refresh()
    let kept = Set(fixture.session.jobs.operations.all.map(\.id))
    #expect(Set(operations.ordered(by: .id).map(\.id)) == kept)
    #expect(Set(operations.ordered(by: .line).map(\.id)) == kept)
  }

  @Test("A frame of many thousands on one queue reads only what is visible")
  func many() throws {
    let fixture = try ShellFixture("delay 1h --count 20000")
    var picture = WatchPicture(
      fixture.session.jobs, on: fixture.session.screen, fixture.session.run)
    var view = WatchView()
    _ = picture.lines(&view, columns: 120, rows: 40)
    let start = ContinuousClock.now
    let lines = picture.lines(&view, columns: 120, rows: 40)
    // A debug build on a busy machine; a frame that asked each for its reasons takes minutes.
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(lines.contains { $0.plain.contains("network is full") })
    #expect(lines.contains { $0.plain.contains("of 20,000") })
  }

  @Test("The selection stays with its operation, and the view where it is")
  func selection() throws {
    let fixture = try ShellFixture("queue width 1; delay 1h --count 100")
    var picture = WatchPicture(
      fixture.session.jobs, on: fixture.session.screen, fixture.session.run)
    var view = WatchView()
    _ = picture.lines(&view, columns: 80, rows: 24)
    #expect(view.operation == 1)
    picture.move(&view, by: 1)
    let selected = view.operation
    #expect(selected == 2)
    try fixture.run("cancel delay-1 delay-2")
    #expect(
      try fixture.pump { fixture.session.jobs.operations.operation(id: 2)?.state == .finished })
    // It is among the finished ones soon, far below: the next look at all may come later, since
    // looking takes only a part of the time.
    let isFarBelow = eventually {
      !picture.lines(&view, columns: 80, rows: 24).contains { $0.plain.contains("▸") }
    }
    #expect(isFarBelow)
    #expect(view.operation == selected)
    // So that no key acts on what the user does not see.
    #expect(!picture.showsSelection(view))
    picture.move(&view, by: 1)
    _ = picture.lines(&view, columns: 80, rows: 24)
    #expect(view.operation == 5 && picture.showsSelection(view))
    picture.select(&view, .max)
    let end = picture.lines(&view, columns: 80, rows: 24)
    #expect(end.contains { $0.plain.contains("▸") })
  }
}
