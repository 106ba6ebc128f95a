import Operations
import OpshTerminal
import Testing

@testable import ShellCommands
@testable import ViewCommands

/// The picture of `watch`, without a terminal.
@Suite("The layout of watch")
struct WatchLayoutTests {
  static let sizes = [(40, 12), (80, 24), (120, 40), (200, 60), (300, 100)]

  /// A session with something of everything.
  static func model(operations count: Int = 200) -> WatchModel {
    var model = WatchModel(
      queues: [
        .init(
          id: 1, name: "network", width: 2, isInUse: true, rate: 3.4, executing: 2, ready: 5,
          pending: 2, finished: 1_234, oldestWait: .milliseconds(12_340)),
        .init(
          id: 2, name: "uploads", width: -1, isPaused: true, pace: .milliseconds(250), ready: 3,
          oldestWait: .seconds(95)),
        .init(id: 3, name: "a-queue-with-a-name-that-is-longer-than-others", width: 1),
      ],
      counts: .init(executing: 2, waiting: 10, finished: 1_234, failed: 1),
      total: count, strip: (0..<300).map { $0 % 7 }, elapsed: 75.04)
    let items: [WatchModel.Item] = [
      .init(
        id: 1, name: "questions-1", kind: "fetch questions", queue: "network", state: .executing,
        fraction: 0.455, amount: "14.9 kB", time: .milliseconds(1_250), attempts: 2),
      .init(
        id: 2, name: "delay-1", kind: "delay", queue: "network", state: .executing,
        time: .milliseconds(320), attempts: 1),
      .init(
        id: 3, name: "delay-2", kind: "delay", queue: "network", state: .ready, priority: "high",
        time: .seconds(12), cause: "network is full", place: 1),
      .init(
        id: 4, name: "a-download-with-quite-a-long-name-of-its-own-that-does-not-end-soon",
        kind: "download", queue: "uploads", state: .pending, isCancelled: true,
        time: .seconds(4_000), cause: "waits for questions-1 and 3 more", place: 12),
      .init(
        id: 5, name: "get-1", kind: "get", queue: "network", state: .finished,
        outcome: .succeeded, time: .milliseconds(276), cause: "✓ 30 questions, 14.9 kB",
        attempts: 1),
    ]
    model.items = (0..<count).map { index in
      var item = items[index % items.count]
      item.id = index + 1
      return item
    }
    return model
  }

  static func lines(
    _ columns: Int, _ rows: Int, view: WatchView = WatchView(operation: 3),
    model: WatchModel = model(), isASCII: Bool = false
  ) -> [StyledText] {
    let geometry = WatchGeometry(
      columns: columns, rows: rows, queues: model.queues.count, operations: model.total,
      panel: view.panel)
    return WatchLayout(model: model, view: view, geometry: geometry, isASCII: isASCII).lines
  }

  @Test("Every size has its rows, none too wide, with title, names and states", arguments: sizes)
  func fits(columns: Int, rows: Int) {
    for isASCII in [false, true] {
      let lines = Self.lines(columns, rows, isASCII: isASCII)
      #expect(lines.count == rows)
      for line in lines {
        #expect(line.columns <= columns, "\(line.plain)")
        #expect(!isASCII || line.plain.allSatisfy(\.isASCII), "\(line.plain)")
      }
      let text = lines.map(\.plain).joined(separator: "\n")
      #expect(text.hasPrefix("opsh watch  2 executing  10 waiting"))
      for word in ["network", "questions-1", "delay-1", "delay-2", "executing", "ready"] {
        #expect(text.contains(word), "\(word) at \(columns)")
      }
      #expect(text.contains("? help  q quit"))
    }
  }

  @Test(
    "A time is rounded as in the other views, and that of a finished operation is as exact",
    arguments: [
      (OperationState.executing, Duration.nanoseconds(4_999_999_999), "5.0 s"),
      (.executing, .milliseconds(12_340), "12.3 s"), (.ready, .milliseconds(59_980), "1 min 0 s"),
      (.finished, .nanoseconds(4_999_999_999), "✓ 5 s"),
      (.finished, .milliseconds(1_250), "✓ 1.25 s"),
      (.finished, .milliseconds(119_700), "✓ 2 min 0 s"),
    ])
  func times(_ state: OperationState, _ time: Duration, _ text: String) {
    var model = Self.model(operations: 1)
    model.items[0].state = state
    model.items[0].outcome = state == .finished ? .succeeded : nil
    model.items[0].fraction = nil
    model.items[0].amount = ""
    model.items[0].time = time
    let lines = Self.lines(120, 30, model: model).map(\.plain)
    #expect(lines.contains { $0.contains("questions-1") && $0.contains(" \(text) ") }, "\(lines)")
  }

  @Test("The pace of a queue is what was set")
  func pace() {
    var model = Self.model(operations: 1)
    model.queues[1].pace = .milliseconds(2_960)
    let lines = Self.lines(120, 30, model: model).map(\.plain)
    #expect(lines.contains { $0.contains("uploads") && $0.contains("2.96 s") }, "\(lines)")
  }

  /// Whether a word is a name of the model without its middle.
  private func isShortened(_ word: String) -> Bool {
    let parts = word.split(separator: "…", omittingEmptySubsequences: false)
    let names = Self.model().items.map(\.name) + Self.model().queues.map(\.name)
    return parts.count == 2
      && names.contains {
        $0.hasPrefix(parts[0]) && $0.hasSuffix(parts[1].prefix { $0 != ":" }) && !parts[1].isEmpty
      }
  }

  @Test("No word is cut, but of a long name the middle is left out", arguments: sizes)
  func words(columns: Int, rows: Int) {
    let known = Set(
      Self.lines(300, 100).flatMap { $0.plain.split(separator: " ") }.map(String.init))
    for panel in [WatchView.Panel.none, .help, .why, .show] {
      var view = WatchView(operation: 4)
      view.panel = panel
      var model = Self.model()
      model.panel = [
        WatchPanelLine("a-download is pending and does not run because"),
        WatchPanelLine("  waits for 'questions-1', which is executing, and so on and on and on"),
      ]
      var texts = (WatchHelp.keys + WatchHelp.timeKeys).map { "\($0.key) \($0.meaning)" }
      texts += model.panel.map(\.text.plain)
      texts += model.items.map { "\($0.name): \($0.cause)" }
      texts.append("keys keys, why why, show show, more line lines (arrow keys) (PgUp PgDn)")
      texts.append("Esc close")
      let all = known.union(texts.flatMap { $0.split(separator: " ").map(String.init) })
      for line in Self.lines(columns, rows, view: view, model: model) {
        for word in line.plain.split(separator: " ").map(String.init) {
          let isNumber = word.allSatisfy { $0.isNumber || "-,.%".contains($0) }
          let isChart = word.contains { "▁▂▃▄▅▆▇█▏▎▍▌▋▊▉".contains($0) }
          #expect(
            all.contains(word) || word == "…" || isNumber || isChart || isShortened(word),
            "'\(word)' in '\(line.plain)'")
        }
      }
    }
  }

  @Test(
    "Of a name that is too long the beginning and the number stay",
    arguments: [
      ("questions-1", "questions-1"), ("questions-1234", "quest…-1234"),
      ("downloads-123", "downlo…-123"), ("a-long-name-of-its-own", "a-long…-own"),
      ("12345678901234", "123456…1234"), ("漢字漢字漢字漢字-7", "漢字漢字…-7"),
    ])
  func shortened(name: String, expected: String) {
    let text = StyledText(name).withoutMiddle(to: 11, ellipsis: "…")
    #expect(text.plain == expected)
    #expect(text.columns <= 11)
  }

  @Test("Wider screens have more columns", arguments: [(80, 24), (120, 40), (200, 60)])
  func columns(columns: Int, rows: Int) {
    let titles = Self.lines(columns, rows).map(\.plain)
    let operations = titles.first { $0.contains("name") && $0.contains("progress") } ?? ""
    #expect(operations.contains("cause"))
    #expect(operations.contains("attempt") == (columns >= 80))
    #expect(operations.contains("priority") == (columns >= 120))
    #expect(operations.contains("kind") == (columns >= 200))
    let queues = titles.first { $0.contains("width") } ?? ""
    #expect(queues.contains("pending") && queues.contains("finished"))
    #expect(queues.contains("oldest wait") == (columns >= 100))
  }

  @Test("Where there is no room for causes, the selected operation's is below")
  func foldedCause() {
    let lines = Self.lines(40, 12).map(\.plain)
    #expect(lines.last == "delay-2: network is full")
    #expect(lines.contains { $0.hasPrefix("▸ ") && $0.contains("delay-2") })
  }

  @Test("In a replay only the keys that work are listed")
  func replay() {
    var model = Self.model()
    model.isReplay = true
    model.isVirtual = true
    let lines = Self.lines(120, 40, model: model).map(\.plain)
    #expect(lines[0].hasSuffix("recorded 1 min 15 s"))
    #expect(lines[37] == "w why  Enter show  / filter  o sort  Tab queue  f freeze  ? help  q quit")
  }

  @Test("A command that is too long loses its last words")
  func longCommand() {
    var view = WatchView()
    view.command = "why a-very-long-name-for-an-operation-12"
    #expect(Self.lines(40, 12, view: view)[10].plain == "opsh> why …")
  }

  @Test("A command, its error and the filter have their lines")
  func bottom() {
    var view = WatchView()
    view.command = "queue step network"
    view.message = "queue 'network' is not paused [not-paused]"
    view.isError = true
    let lines = Self.lines(80, 24, view: view)
    #expect(lines[22].plain == "opsh> queue step network")
    #expect(lines[23].plain == "queue 'network' is not paused [not-paused]")
    #expect(lines[23].spans.first?.style.color == .red)
    view.isTypingFilter = true
    view.filter = "delay"
    #expect(Self.lines(80, 24, view: view)[23].plain == "/delay▏")
  }

  @Test(
    "A screen that is far too small shows what fits", arguments: [(1, 1), (5, 3), (20, 6), (40, 5)])
  func tiny(columns: Int, rows: Int) {
    for panel in [WatchView.Panel.none, .help, .why, .show] {
      var view = WatchView(operation: 1)
      view.panel = panel
      let lines = Self.lines(columns, rows, view: view)
      #expect(lines.count == rows)
      #expect(lines.allSatisfy { $0.columns <= columns })
    }
  }

  @Test("Every size of a terminal has its rows, none too wide, with and without panels")
  func everySize() {
    var model = Self.model(operations: 12)
    model.panel = (0..<30).map {
      WatchPanelLine("  \($0) waits for 'questions-1' and so on and on")
    }
    model.panelName = model.items[3].name
    for columns in Array(20...60) + [79, 80, 99, 100, 119, 120, 159, 200] {
      for rows in Array(1...30) + [40, 60] {
        for panel in [WatchView.Panel.none, .help, .why, .show] {
          var view = WatchView(operation: 4)
          view.panel = panel
          let geometry = WatchGeometry(
            columns: columns, rows: rows, queues: 3, operations: 12, panel: panel)
          let used = geometry.queueRows + geometry.stripRows + geometry.operationRows
          #expect(used + geometry.panelRows + (geometry.hasQueueTitles ? 1 : 0) <= max(0, rows - 5))
          let lines = Self.lines(columns, rows, view: view, model: model, isASCII: rows % 2 == 0)
          #expect(lines.count == rows && lines.allSatisfy { $0.columns <= columns })
        }
      }
    }
  }

  @Test("Why the selected operation waits is below where there is room, and else only its cause")
  func permanentWhy() {
    var model = Self.model(operations: 5)
    model.panel = [
      WatchPanelLine("delay-2 is ready and does not run because"),
      WatchPanelLine("  'network' is full"),
    ]
    model.panelName = "delay-2"
    let high = Self.lines(80, 24, model: model).map(\.plain)
    let place = high.firstIndex { $0 == "why delay-2" } ?? 0
    #expect(high[place + 1] == "delay-2 is ready and does not run because")
    #expect(high.contains { $0.contains("get-1") } && high.last == "")
    let low = Self.lines(80, 14, model: model).map(\.plain)
    #expect(!low.contains("why delay-2") && low.last == "delay-2: network is full")
    model.total = 100
    #expect(!Self.lines(80, 24, model: model).map(\.plain).contains("why delay-2"))
    #expect(Self.lines(80, 40, model: model).map(\.plain).contains("why delay-2"))
  }

  @Test(
    "The meter of a queue has a cell for each slot, and of many slots a share of ten cells",
    arguments: [
      (2, 1, "●○", "#."), (1, 0, "○", "."), (0, 0, "-", "-"), (3, 4, "●●●●", "####"),
      (100, 1, "●○○○○○○○○○", "#........."), (100, 99, "●●●●●●●●●○", "#########."),
      (100, 100, "●●●●●●●●●●", "##########"), (-1, 3, "●●●", "###"), (-1, 0, "-", "-"),
    ])
  func meter(_ width: Int, _ executing: Int, _ cells: String, _ ascii: String) {
    var model = Self.model(operations: 1)
    model.queues = [.init(id: 1, name: "network", width: width, executing: executing)]
    for (isASCII, expected) in [(false, cells), (true, ascii)] {
      let lines = Self.lines(120, 30, model: model, isASCII: isASCII).map(\.plain)
      let words = lines.first { $0.contains("network") && $0.contains("running") }?
        .split(separator: " ").map(String.init)
      #expect(words?[2] == expected, "\(lines)")
    }
  }

  @Test("Hostile names neither break rows nor reach the terminal")
  func hostile() {
    var model = Self.model(operations: 6)
    let names = [
      "\u{1B}[2J", "a\nb", "漢字漢字漢字漢字漢字漢字", "\u{202E}x", "", "👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻",
    ]
    for (index, name) in names.enumerated() {
      model.items[index].name = name
      model.items[index].cause = name + " " + name
    }
    for (columns, rows) in Self.sizes {
      for line in Self.lines(columns, rows, model: model) {
        #expect(line.columns <= columns)
        #expect(!line.plain.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
      }
    }
  }

  @Test("2,000 operations are laid out in the time of one screen")
  func cost() {
    let few = Self.model(operations: 100)
    var many = few
    many.total = 100_000
    // Measured again if the machine was busy with something else.
    var measured: [String] = []
    let isFast = (1...3).contains { _ in
      let start = ContinuousClock.now
      for _ in 0..<20 { _ = Self.lines(120, 40, model: few) }
      let second = ContinuousClock.now
      for _ in 0..<20 { _ = Self.lines(120, 40, model: many) }
      let (one, other) = (second - start, ContinuousClock.now - second)
      measured.append("\(one) and \(other)")
      return other < one * 3 + .milliseconds(50)
    }
    #expect(isFast, "\(measured)")
  }
}
