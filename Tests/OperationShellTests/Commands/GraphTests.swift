import ShellLanguage
import OpshSupport
import OpshTerminal
import Testing

@testable import CommandParts
@testable import InspectCommands
@testable import ShellCommands
@testable import ShellSession

@Suite("The drawn graph of dependencies", .timeLimit(.minutes(10)))
struct GraphTests {
  private static let example = """
    queue pause
    delay 1ms --name a; delay 1ms --name b; delay 1ms --name alone
    delay 1ms --name c --after a,b; delay 1ms --name d --after a
    delay 1ms --name e --after c,d
    """

  @Test("Each operation stands in its layer, with lines from its dependencies")
  func whole() throws {
    let fixture = try ShellFixture(Self.example)
    #expect(
      try fixture.output(of: "deps --graph") == [
        "layer",
        "    1  ○     a  ready",
        "       │ ○   b  ready",
        "       ├─│─╮",
        "    2  │ │ ○ d  pending  after a",
        "       ├─╯ │",
        "       ○   │ c  pending  after a, b",
        "       ├───╯",
        "    3  ○     e  pending  after c, d",
        "● finished   ○ not finished   lines lead down to what waits",
      ])
  }

  @Test("With an operation only what leads to it or from it is drawn")
  func part() throws {
    let fixture = try ShellFixture(Self.example)
    #expect(
      try fixture.output(of: "deps d --graph").dropLast() == [
        "layer", "    1  ○ a  ready", "       │", "    2  ○ d  pending  after a", "       │",
        "    3  ○ e  pending  after d",
      ])
    #expect(
      try fixture.output(of: "deps alone --graph").dropLast() == ["layer", "    1  ○ alone  ready"])
  }

  @Test("Without dependencies it says so, and without an operation 'deps' is an error")
  func nothing() throws {
    let fixture = try ShellFixture("delay 1ms; wait")
    #expect(try fixture.shown(by: "deps --graph") == ["no operation depends on another"])
    #expect(try fixture.error(of: "deps").code == "missing-argument")
    #expect(
      try fixture.error(of: "deps all --graph --on-failure skip").code == "conflicting-options")
  }

  @Test("Where the lines need more columns than there are, the names remain")
  func manyLanes() throws {
    let fixture = try ShellFixture("queue pause; delay 1ms --count 100 --name x")
    try fixture.run("delay 1ms --name y --after x-*")
    let lines = try fixture.output(of: "deps y --graph")
    #expect(lines.count == 104)
    #expect(lines[1] == "    1  ○ x-1  ready")
    #expect(lines[101].hasPrefix("    2  ○ y  pending  after x-1, "))
    #expect(lines[103].hasSuffix("'deps OP --graph' draws fewer"))
  }

  /// The directions in which each sign goes on: up and down.
  private static let vertical: [Character: (up: Bool, down: Bool)] = [
    "│": (true, true), "├": (true, true), "┤": (true, true), "┼": (true, true),
    "┴": (true, false), "╯": (true, false), "╰": (true, false), "┬": (false, true),
    "╮": (false, true), "╭": (false, true), "─": (false, false), " ": (false, false),
  ]

  @Test("Random graphs: every line begins and ends at an operation, within 40 columns")
  func random() throws {
    var random = RandomSource(seed: 20)
    for _ in 0..<40 {
      let fixture = try ShellFixture("queue pause; delay 1ms --name x --count 12")
      for dependent in 2...12 {
        let others = (1..<dependent).filter { _ in random.next() % 5 == 0 }
        if !others.isEmpty {
          try fixture.run(
            "deps x-\(dependent) on " + others.map { "x-\($0)" }.joined(separator: " "))
        }
      }
      let graph = DependencyGraph(fixture.session.jobs.operations.all)
      for node in graph.nodes {
        let above = node.dependencies.map { graph.nodes[$0].layer }.max() ?? 0
        #expect(node.layer == above + 1)
      }
      for width in [40, 80] {
        let lines = GraphText(graph, width: width).lines.map(\.plain)
        #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= width })
        guard DependencyLanes(graph, limit: (width - 31) / 2) != nil else { continue }
        check(lines, graph)
      }
    }
  }

  /// Checks that the lines of neighbouring rows meet, column by column.
  private func check(_ lines: [String], _ graph: DependencyGraph) {
    let lanes = DependencyLanes(graph, limit: 1000)?.count ?? 0
    let rows = lines.dropFirst().filter { !$0.hasPrefix("●") && !$0.hasPrefix("lines") }
    var open = [Bool](repeating: false, count: lanes)
    var next = graph.nodes.makeIterator()
    for row in rows {
      let cells = Array(row.dropFirst(7))
      let node = row.contains("○") ? next.next() : nil
      for lane in 0..<lanes {
        let sign = 2 * lane < cells.count ? cells[2 * lane] : " "
        if sign == "○" {
          #expect(open[lane] == (node?.dependencies.isEmpty == false))
          open[lane] = (node?.dependentCount ?? 0) > 0
        } else {
          let arms = Self.vertical[sign]
          #expect(arms?.up == open[lane], "\(row)")
          open[lane] = arms?.down ?? false
        }
      }
    }
    #expect(!open.contains(true))
  }
}
