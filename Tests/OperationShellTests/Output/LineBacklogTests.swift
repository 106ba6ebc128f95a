import OpshTerminal
import Testing

@testable import ShellOutput

@Suite("Lines buffered for the terminal")
struct LineBacklogTests {
  /// The taken lines, with a gap as its number.
  private func takeAll(_ backlog: inout LineBacklog) -> [String] {
    var taken: [String] = []
    while let item = backlog.takeFirst() {
      switch item {
      case .line(let line, _, _): taken.append(line.plain)
      case .gap(let count, _): taken.append("gap \(count)")
      case .leftOut(let count, _): taken.append("left out \(count)")
      }
    }
    return taken
  }

  @Test("A gap of dropped events keeps its position among the lines")
  func gaps() {
    var backlog = LineBacklog()
    for number in 0..<300 { backlog.add("\(number)", to: .standardError, isEvent: true) }
    backlog.add("text", to: .standardOutput, isEvent: false)
    backlog.add("late", to: .standardError, isEvent: true)
    #expect(backlog.leavesEventsOut)
    let expected = (0..<200).map { "\($0)" } + ["gap 100", "text", "gap 1"]
    #expect(takeAll(&backlog) == expected)
    #expect(backlog.isEmpty && !backlog.leavesEventsOut)
    backlog.add("next", to: .standardError, isEvent: true)
    #expect(takeAll(&backlog) == ["next"])
  }

  @Test("After a drop, events are dropped until all lines before the gap are taken")
  func gapGrows() {
    var backlog = LineBacklog()
    for number in 0..<201 { backlog.add("\(number)", to: .standardError, isEvent: true) }
    for _ in 0..<150 { _ = backlog.takeFirst() }
    backlog.add("later", to: .standardError, isEvent: true)
    #expect(takeAll(&backlog).suffix(2) == ["199", "gap 2"])
  }

  @Test("A collapsed backlog has one gap for all events and keeps all texts")
  func collapse() {
    var backlog = LineBacklog()
    for number in 0..<250 { backlog.add("\(number)", to: .standardError, isEvent: true) }
    backlog.add("one", to: .standardOutput, isEvent: false)
    backlog.leaveOut(1000, to: .standardError)
    backlog.add("two", to: .standardOutput, isEvent: false)
    backlog.collapse()
    #expect(takeAll(&backlog) == ["one", "two", "gap 1250"])
    backlog.collapse()
    #expect(backlog.isEmpty)
  }

  @Test("If only the latest lines wait, the oldest are counted, and long ones take no more memory")
  func latest() {
    var backlog = LineBacklog()
    backlog.keepsLatest = true
    for number in 1...2_500 { backlog.add("\(number)", to: .standardOutput, isEvent: false) }
    let taken = takeAll(&backlog)
    #expect(taken.first == "left out 1500" && taken.count == 1_001 && taken.last == "2500")
    let long = StyledText(String(repeating: "a", count: LineBacklog.latest.bytes / 4))
    for _ in 0..<10 { backlog.add(long, to: .standardOutput, isEvent: false) }
    #expect(backlog.count == 4)
    backlog.collapse()
    #expect(takeAll(&backlog) == ["left out 6"] + [String](repeating: long.plain, count: 4))
    backlog.keepsLatest = false
    for number in 1...1_500 { backlog.add("\(number)", to: .standardOutput, isEvent: false) }
    #expect(takeAll(&backlog).count == 1_500)
  }

  @Test(
    "Numbers have a comma before every third digit",
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (84_312, "84,312"), (-1_234_567, "-1,234,567"),
    ])
  func grouped(number: Int, text: String) {
    #expect(GroupedNumber.text(number) == text)
  }
}
