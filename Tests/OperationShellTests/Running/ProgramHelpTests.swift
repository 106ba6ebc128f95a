import Terminal
import Testing

@testable import OperationShell

@Suite("Help of the program")
struct ProgramHelpTests {
  @Test("It fits the terminal and says all at every width", arguments: [40, 60, 80, 95])
  func fits(_ columns: Int) {
    let lines = ProgramOption.help(columns: columns).split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= columns })
    func words(_ lines: [String]) -> [Substring] {
      lines.flatMap { $0.split(separator: " ") }
    }
    let widest = ProgramOption.help(columns: 200).split(separator: "\n").map(String.init)
    #expect(words(lines) == words(widest))
  }
}
