import Foundation
import OpshLocking
import OpshSystemCalls
import TestSupport
import Testing

@testable import OpshTerminal

@Suite("Waiting and signals")
struct SystemTests {
  @Test("A wake-up is readable from its signal until it is drained")
  func wakeUp() throws {
    let wakeUp = try WakeUp()
    let other = try WakeUp()
    let descriptors = [wakeUp.fileDescriptor, other.fileDescriptor]
    #expect(try Poller.wait(fileDescriptors: descriptors, timeout: .zero) == [])
    wakeUp.signal()
    wakeUp.signal()
    #expect(try Poller.wait(fileDescriptors: descriptors, timeout: nil) == [wakeUp.fileDescriptor])
    wakeUp.drain()
    wakeUp.drain()
    #expect(try Poller.wait(fileDescriptors: descriptors, timeout: .milliseconds(1)) == [])
  }

  @Test("A signal from another thread ends the wait")
  func wakeUpFromOtherThread() throws {
    let wakeUp = try WakeUp()
    Thread { wakeUp.signal() }.start()
    let ready = try Poller.wait(
      fileDescriptors: [-1, wakeUp.fileDescriptor], timeout: .seconds(20))
    #expect(ready == [wakeUp.fileDescriptor])
  }

  @Test("Blocked signals of a thread are read in order of their numbers")
  func signals() throws {
    let events = Locked<Result<[SignalEvent], any Error>?>(nil)
    // On another thread, because the mask must not affect the test runner's threads.
    let thread = Thread {
      SignalMask.block()
      let result = Result {
        let reader = try SignalReader()
        pthread_kill(pthread_self(), SIGWINCH)
        pthread_kill(pthread_self(), SIGINT)
        let ready = try Poller.wait(
          fileDescriptors: [reader.fileDescriptor], timeout: .seconds(10))
        return ready == [reader.fileDescriptor] ? reader.read() + reader.read() : []
      }
      events.withLock { $0 = result }
    }
    thread.start()
    #expect(eventually { events.withLock { $0 != nil } })
    let read = try #require(events.withLock { $0 }).get()
    #expect(read == [.interrupt, .windowChange])
  }

  @Test("Every handled signal converts to its number and back")
  func events() {
    for event in SignalEvent.allCases { #expect(SignalEvent(number: event.number) == event) }
    #expect(SignalEvent(number: SIGSEGV) == nil)
  }

  @Test("Capabilities depend on the terminal, the environment and the user's choice")
  func capabilities() throws {
    let terminal = try PseudoTerminal(columns: 91, rows: 17)
    let side = try terminal.openProgramSide()
    defer { close(side) }
    func detect(_ mode: ColorMode, _ environment: [String: String]) -> TerminalCapabilities {
      .detect(colorMode: mode, environment: environment, input: side, output: side)
    }
    let capable = detect(.auto, ["TERM": "xterm"])
    #expect(capable.isInteractive && capable.usesColor)
    #expect(capable.columns == 91 && capable.rows == 17)
    #expect(!detect(.auto, ["TERM": "dumb"]).isInteractive)
    #expect(!detect(.auto, [:]).isInteractive)
    #expect(!detect(.auto, ["TERM": "xterm", "NO_COLOR": "1"]).usesColor)
    #expect(detect(.auto, ["TERM": "xterm", "NO_COLOR": ""]).usesColor)
    #expect(detect(.always, ["NO_COLOR": "1"]).usesColor)
    #expect(!detect(.never, ["TERM": "xterm"]).usesColor)
  }

  @Test("A queue shows a burst over several frames and reports gaps")
  func outputQueue() throws {
    let wakeUp = try WakeUp()
    let queue = OutputQueue(wakeUp: wakeUp, capacity: 5)
    #expect(queue.take(limit: 3) == .none)
    queue.append(["1", "2", "3", "4"])
    #expect(try Poller.wait(fileDescriptors: [wakeUp.fileDescriptor], timeout: .zero).count == 1)
    #expect(queue.take(limit: 3) == PendingOutput(lines: ["1", "2", "3"], hasMore: true))
    #expect(queue.take(limit: 3) == PendingOutput(lines: ["4"]))
    queue.append((0..<7).map { StyledText("\($0)") })
    #expect(queue.take(limit: 3) == PendingOutput(lines: ["0", "1", "2", "… 4 more events"]))
    #expect(queue.take(limit: 3) == .none)
  }
}
