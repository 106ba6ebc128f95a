import Dispatch
import Foundation
import OpshLocking
package import ShellLanguage
import ShellOutput
import OpshTerminal

/// Checks before the first operation that the system has the threads and descriptors for some.
///
/// The engine has its timers and some of its threads from libdispatch, which ends the process where
/// it gets no descriptor, and has its caller sleep, perhaps for ever, where it gets no thread. So
/// nothing is built without them, and libdispatch takes its own while there are some.
package struct EngineResources: Sendable {
  /// Enough for a request to the practice server and a program beside it.
  private static let threads = 6
  /// Those of libdispatch (3), those of the practice server and of a request, and a few for files.
  private static let descriptors = 16

  private let isClaimed = Locked(false)
  private let shortageOfThreads: @Sendable (Int) -> Int32?
  private let shortageOfDescriptors: @Sendable (Int) -> Int32?

  /// - Parameters:
  ///   - shortageOfThreads: Returns the system's error number if it has not so many threads.
  ///   - shortageOfDescriptors: The same for descriptors.
  package init(
    shortageOfThreads: @escaping @Sendable (Int) -> Int32? = { RawThread.shortage(of: $0) },
    shortageOfDescriptors: @escaping @Sendable (Int) -> Int32? = {
      Self.shortage(ofDescriptors: $0)
    }
  ) {
    self.shortageOfThreads = shortageOfThreads
    self.shortageOfDescriptors = shortageOfDescriptors
  }

  /// Throws the error of what is missing, until nothing was once.
  package func claim() throws(UnplacedError) {
    try isClaimed.withLock { isClaimed throws(UnplacedError) in
      guard !isClaimed else { return }
      if let error = shortageOfDescriptors(Self.descriptors) {
        throw Self.refusal(error, "\(Self.descriptors) open files", option: "-n")
      }
      if let error = shortageOfThreads(Self.threads) {
        throw Self.refusal(error, "\(Self.threads) threads", option: "-u")
      }
      Self.wakeDispatch()
      isClaimed = true
    }
  }

  private static func refusal(_ error: Int32, _ things: String, option: String) -> UnplacedError {
    UnplacedError(
      .file(error),
      "operations need \(things) more than the system allows: \(String(cString: strerror(error)))",
      help: "'ulimit \(option)' shows the limit and sets another one; or end other programs")
  }

  /// Checks whether the process can open so many descriptors more.
  private static func shortage(ofDescriptors count: Int) -> Int32? {
    var opened: [Int32] = []
    defer { opened.forEach { close($0) } }
    while opened.count < count {
      let descriptor = open("/", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return errno }
      opened.append(descriptor)
    }
    return nil
  }

  /// Has libdispatch open its descriptors, by a timer, whose time must not have come when it is set.
  private static func wakeDispatch() {
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { timer.cancel() }
    timer.schedule(deadline: .now() + .milliseconds(1))
    timer.activate()
  }
}

extension Output {
  /// Says that bodies of operations wait for threads, which only other bodies or programs can free.
  func remarkShortage(of count: Int) {
    line(
      StyledText(
        "opsh: \(count) \(count == 1 ? "body waits" : "bodies wait") for a thread: the system has "
          + "none ('ulimit -u' shows the limit)"),
      to: .standardError, folds: true)
  }
}
