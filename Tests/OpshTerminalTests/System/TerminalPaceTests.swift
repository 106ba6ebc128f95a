import Foundation
import TestSupport
import Testing

@testable import OpshTerminal

@Suite("Terminal pace")
struct TerminalPaceTests {
  private let start = ContinuousClock.now

  @Test("A flood of events buffers little for a terminal that reads 50 kB per second")
  func inFlight() {
    var budget = PaceBudget(now: start)
    // Written bytes that are not read yet; the reader reads 50 bytes per millisecond.
    var (onItsWay, greatest, written) = (0, 0, 0)
    for millisecond in 0..<20_000 {
      let now = start + .milliseconds(millisecond)
      onItsWay = max(0, onItsWay - 50)
      guard millisecond.isMultiple(of: 33) else { continue }
      let room = min(budget.room(at: now, isFull: false), LineEditor.bytesPerFrame)
      // One line more than there is room for, and the prompt again.
      let frame = room == 0 ? 0 : room + 200
      budget.spend(frame)
      onItsWay += frame
      written += frame
      greatest = max(greatest, onItsWay)
    }
    #expect(greatest <= 50 * 50, "The echo of a key is at most 50 ms late")
    #expect(written > 20 * 20_000, "The terminal is not idle")
    #expect(written <= 20 * 24_000 + 3_200)
  }

  @Test("A terminal with a full buffer gets nothing for a while, and then half the rate")
  func full() {
    var budget = PaceBudget(now: start)
    #expect(budget.room(at: start, isFull: false) == 1_500)
    #expect(budget.room(at: start + .seconds(1), isFull: true) == 0)
    #expect(budget.room(at: start + .seconds(1.5), isFull: true) == 0)
    #expect(budget.rate == 12_000)
    #expect(budget.room(at: start + .seconds(2), isFull: false, borrowing: 8_000) == 0)
    #expect(budget.room(at: start + .seconds(2.5), isFull: false) == 0)
    #expect(budget.room(at: start + .seconds(2.6), isFull: false) == 1_200)
    // Writing resumes slowly.
    _ = budget.room(at: start + .seconds(3), isFull: true)
    #expect(budget.rate < 6_100)
    for second in 5..<60 { _ = budget.room(at: start + .seconds(second), isFull: false) }
    #expect(budget.rate == PaceBudget.usualRate)
  }

  @Test("Borrowed room is repaid before anything else is written")
  func borrowing() {
    var budget = PaceBudget(now: start)
    #expect(budget.room(at: start, isFull: false, borrowing: 8_000) == 9_500)
    budget.spend(9_500)
    #expect(budget.room(at: start, isFull: false, borrowing: 8_000) == 0)
    #expect(budget.room(at: start + .milliseconds(300), isFull: false) == 0)
    #expect(budget.room(at: start + .milliseconds(400), isFull: false) > 0)
  }

  @Test("A long text delays the next output by a third of a second at most")
  func longText() {
    var budget = PaceBudget(now: start)
    budget.spend(5_000_000)
    #expect(budget.room(at: start + .milliseconds(300), isFull: false) == 0)
    #expect(budget.room(at: start + .milliseconds(400), isFull: false) > 0)
  }

  @Test("A terminal that is not read has no room")
  func unread() throws {
    let terminal = try PseudoTerminal()
    let side = try terminal.openProgramSide()
    defer { close(side) }
    let pace = TerminalPace(descriptor: side)
    #expect(pace.room > 0)
    _ = fcntl(side, F_SETFL, O_NONBLOCK)
    let bytes = [UInt8](repeating: 0x61, count: 4096)
    while write(side, bytes, bytes.count) > 0 {}
    #expect(pace.room(borrowing: 100_000) == 0)
  }
}
