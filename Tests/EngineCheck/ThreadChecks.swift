import Foundation
import Operations

/// Blocking bodies and the threads that run them.
enum ThreadChecks {
  static let all = [
    Check("scarce-threads") { try scarceThreads() },
    Check("no-thread-at-first") { try noThreadAtFirst() },
    Check("width-of-bodies") { try width() },
    Check("slow-observer") { try slowObserver() },
  ]

  private static let addressSpace = __rlimit_resource_t(RLIMIT_AS.rawValue)

  /// Limits how many bytes of memory the process may reserve beyond what it has, as `ulimit -v` does,
  /// and returns the limit that it had before.
  private static func limitMemory(to bytes: UInt) throws -> rlimit {
    var old = rlimit()
    try expect(getrlimit(addressSpace, &old) == 0, "no limit is known")
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      .split(separator: " ").first.flatMap { UInt($0) }
    guard let pages else { throw Check.Failure("/proc/self/statm says nothing") }
    var limit = old
    limit.rlim_cur = rlim_t(pages * UInt(getpagesize()) + bytes)
    try expect(setrlimit(addressSpace, &limit) == 0, "the limit was refused")
    return old
  }

  /// Many more bodies than the system has threads for: all of them run.
  private static func scarceThreads() throws {
    let engine = OperationEngine()
    let queue = InspectableQueue(name: "q", maxConcurrentOperationCount: -1, engine: engine)
    let (ran, door, count) = (LeakCounter(), Shared(false), 12_000)
    // The memory of the operations themselves is not what is to be scarce.
    var operations = (0..<count).map { _ in
      BlockingOperation(engine: engine) { _ in
        while !door.value { usleep(2_000) }
        ran.add(1)
        return nil
      }
    }
    _ = try limitMemory(to: 256 << 20)
    for operation in operations { try queue.addOperation(operation) }
    operations = []
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    try expect(threads < count, "there were \(threads) threads, so they were not scarce")
    door.set(true)
    queue.waitUntilAllOperationsAreFinished()
    try expect(ran.alive == count, "\(ran.alive) of \(count) bodies ran")
  }

  /// No thread is to be had when the only body is added: it runs once there is one again.
  private static func noThreadAtFirst() throws {
    let queue = InspectableQueue(
      name: "q", maxConcurrentOperationCount: -1, engine: OperationEngine())
    // What else needs a thread, such as the timer of the next attempt, has it before.
    let warm = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { warm.signal() }
    warm.wait()
    let operation = BlockingOperation(engine: queue.engine) { _ in nil }
    var old = try limitMemory(to: 512 << 10)
    try queue.addOperation(operation)
    let isEarly = operation.waitUntilFinished(timeout: .milliseconds(300))
    try expect(setrlimit(addressSpace, &old) == 0, "the limit stays")
    queue.waitUntilAllOperationsAreFinished()
    try expect(!isEarly, "there was a thread")
    try expect(operation.outcome == .succeeded, "\(String(describing: operation.outcome))")
  }

  /// A width is reached by bodies that block, and never exceeded.
  private static func width() throws {
    for width in [1, 2, 8, 31] {
      let queue = InspectableQueue(
        name: "q", maxConcurrentOperationCount: width, engine: OperationEngine())
      let (present, peak) = (Shared(0), Shared(0))
      for _ in 0..<width * 20 {
        queue.addOperation {
          let now = present.change { present in
            present += 1
            return present
          }
          peak.change { $0 = max($0, now) }
          // The first wave waits until it is complete.
          while peak.value < width { usleep(100) }
          present.change { $0 -= 1 }
        }
      }
      queue.waitUntilAllOperationsAreFinished()
      try expect(peak.value == width, "\(peak.value) at once with width \(width)")
    }
  }

  /// An observer that waits for what the same change has started returns.
  private static func slowObserver() throws {
    let engine = OperationEngine()
    let queue = InspectableQueue(name: "q", maxConcurrentOperationCount: 1, engine: engine)
    for _ in 0..<50 {
      let first = Open(engine: engine)
      let next = BlockingOperation(engine: engine) { _ in nil }
      let token = first.observe(\.isFinished) { _, _ in next.waitUntilFinished(timeout: nil) }
      try queue.addOperations([first, next], waitUntilFinished: false)
      first.finish(.success(1))
      queue.waitUntilAllOperationsAreFinished()
      token.invalidate()
    }
  }
}
