import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@testable import OpshProcesses

@Suite("ProcessMonitor", .timeLimit(.minutes(5)))
struct ProcessMonitorTests {
  private let place = ProgramPlace(environment: ["PATH": "/usr/bin:/bin"])

  @Test("A program that is added after the shutdown is killed too")
  func late() throws {
    let monitor = ProcessMonitor()
    monitor.shutDown()
    let status = Locked<Int32?>(nil)
    let child = try ChildStart.spawn(["sleep", "1000"], in: place)
    let refusal = monitor.add(
      child,
      ProcessMonitor.Handlers(
        printed: { _, _ in }, ended: { new in status.withLock { $0 = new } }))
    #expect(refusal == nil)
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

  @Test("Without a thread that monitors it a program is not run, and the next one has one again")
  func noThread() throws {
    let isScarce = Locked(true)
    let monitor = ProcessMonitor { work in
      isScarce.withLock { $0 }
        ? EAGAIN : RawThread.start(name: "test", stackSize: 512 << 10, work)
    }
    defer { monitor.shutDown() }
    let queue = InspectableQueue(
      name: "programs", maxConcurrentOperationCount: 1, engine: OperationEngine())
    for isSupposed in [false, true] {
      isScarce.withLock { $0 = !isSupposed }
      let operation = ProcessOperation(
        name: nil, engine: queue.engine, words: ["echo", "a"], place: place, grace: .seconds(60),
        monitor: monitor, printed: {})
      try queue.addOperation(operation)
      #expect(eventually { operation.isFinished })
      #expect(operation.outcome?.failure?.code == (isSupposed ? nil : "file(\(EAGAIN))"))
      #expect(operation.process == nil)
    }
  }
}
