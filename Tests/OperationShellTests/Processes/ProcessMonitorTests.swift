import Foundation
import Locking
import Operations
import TestSupport
import Testing

@testable import Processes

@Suite("ProcessMonitor", .timeLimit(.minutes(5)))
struct ProcessMonitorTests {
  private let place = ProgramPlace(environment: ["PATH": "/usr/bin:/bin"])

  @Test("A program that is added after the shutdown is killed too")
  func late() throws {
    let monitor = ProcessMonitor()
    monitor.shutDown()
    let status = Locked<Int32?>(nil)
    let child = try ChildStart.spawn(["sleep", "1000"], in: place)
    monitor.add(
      child,
      ProcessMonitor.Handlers(
        printed: { _, _ in }, ended: { new in status.withLock { $0 = new } }))
    if !eventually({ status.withLock { $0 != nil } }) { kill(child.process, SIGKILL) }
    #expect(status.withLock { $0 } == SIGKILL)
  }

  //   the queue's thread      this thread
  //   starts the program
  //                           sees the program, and cancels it
  //   has it monitored
  @Test("A program that is cancelled while it starts ends")
  func cancelled() {
    let monitor = ProcessMonitor()
    defer { monitor.shutDown() }
    let engine = OperationEngine()
    for _ in 0..<100 {
      let operation = ProcessOperation(
        name: nil, engine: engine, words: ["sleep", "1000"], place: place, grace: .seconds(60),
        monitor: monitor, printed: {})
      DispatchQueue.global().async { operation.execute() }
      while operation.process == nil {}
      operation.cancelExecution()
      guard eventually(timeout: .seconds(20), { operation.process == nil }) else {
        Issue.record("the cancellation was lost")
        return
      }
    }
  }
}
