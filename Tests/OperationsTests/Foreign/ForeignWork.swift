import Dispatch
import Foundation
import OpshLocking

/// An asynchronous operation as people write them for Foundation; it ends when the test says so.
final class ForeignWork: Operation, @unchecked Sendable {
  // @unchecked because what this class adds is locked.
  private struct State {
    var isExecuting = false
    var isFinished = false
    var starts = 0
  }
  private let state = Locked(State())
  private let began = Gate()

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state.withLock { $0.isExecuting } }
  override var isFinished: Bool { state.withLock { $0.isFinished } }

  override func start() {
    let isCancelled = self.isCancelled
    state.withLock { state in
      state.starts += 1
      state.isExecuting = !isCancelled
      state.isFinished = isCancelled
    }
    didChangeValue(forKey: "isExecuting")
    if isCancelled { didChangeValue(forKey: "isFinished") }
    began.open()
  }

  func end() {
    state.withLock { state in
      state.isExecuting = false
      state.isFinished = true
    }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }

  var starts: Int { state.withLock { $0.starts } }

  func waitUntilBegun() -> Bool { began.pass() }
}
