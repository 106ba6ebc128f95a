import Foundation
import OpshLocking
import OpshSystemCalls

/// Writes to a descriptor; where a full pipe blocks a run that ends, the rest is discarded.
package final class StreamWriter: Sendable {
  /// How a write may block.
  private enum Kind {
    /// A file, which takes everything; a terminal that could not be opened once more.
    case plain
    /// A pipe or a socket that is shared with other processes.
    ///
    /// It must stay blocking for them, so little is written at a time, and only when there is room.
    case shared
    /// A descriptor that no other process has, in non-blocking mode.
    case nonBlocking
  }

  private let descriptor: Int32
  /// The descriptor to close at the end.
  private let own: Int32?
  private let kind: Kind
  private let isTerminal: Bool
  private let ending: RunEnding
  private let hasGivenUp = Locked(false)

  /// A writer for a standard stream.
  ///
  /// The non-blocking mode of a pipe applies to all processes that have it. A pipe or a terminal is
  /// opened once more, where the system allows it, so that the mode is ours alone: without it,
  /// another program that fills the pipe between the look and the write would block the write.
  ///
  /// - Parameters:
  ///   - stream: The descriptor. Only one of the process itself is opened once more: another may be
  ///     closed by its owner to end the pipe.
  ///   - ending: Whether the run ends.
  package init(stream: Int32, ending: RunEnding) {
    self.ending = ending
    var information = stat()
    let type = fstat(stream, &information) == 0 ? information.st_mode & S_IFMT : 0
    isTerminal = isatty(stream) == 1
    var opened: Int32 = -1
    if type == S_IFIFO || isTerminal, stream <= STDERR_FILENO {
      opened = open("/proc/self/fd/\(stream)", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    }
    own = opened >= 0 ? opened : nil
    descriptor = own ?? stream
    kind = own != nil ? .nonBlocking : type == S_IFIFO || type == S_IFSOCK ? .shared : .plain
  }

  /// A writer for a descriptor in non-blocking mode, which it does not close.
  package init(nonBlocking descriptor: Int32, ending: RunEnding) {
    (self.descriptor, self.ending) = (descriptor, ending)
    own = nil
    kind = .nonBlocking
    isTerminal = false
  }

  deinit {
    if let own { close(own) }
  }

  /// Writes all bytes, unless the run ends while they are blocked; then nothing more is written.
  ///
  /// - Parameter bytes: The bytes.
  /// - Returns: 0, `ECANCELED` if they are discarded because the run ends, or the error of the write.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    if kind == .plain { return writeFully(bytes, to: descriptor) }
    guard !hasGivenUp.withLock({ $0 }) else { return ECANCELED }
    var rest = bytes[...]
    var end: ContinuousClock.Instant?
    while !rest.isEmpty {
      var piece = UnsafeRawBufferPointer(rebasing: rest)
      if kind == .shared {
        guard hasRoom(within: 0) || waitForRoom(until: &end) else { return ECANCELED }
        piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(PIPE_BUF)))
      }
      let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
      if count > 0 {
        rest = rest.dropFirst(count)
        end = nil
      } else if errno == EAGAIN {
        guard waitForRoom(until: &end) else { return ECANCELED }
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  /// Writes all of a text; see ``write(_:)``.
  ///
  /// - Parameter text: The text.
  /// - Returns: 0, `ECANCELED`, or the error of the write.
  package func write(_ text: String) -> Int32 {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  /// The run goes on after an interruption, so that later text is written again.
  func reset() { hasGivenUp.withLock { $0 = false } }

  /// Waits until there is room, or the run ends and the reader takes nothing for a while.
  ///
  /// - Parameter end: When it gives up; nil while the run goes on, and after each progress.
  /// - Returns: Whether there is room.
  private func waitForRoom(until end: inout ContinuousClock.Instant?) -> Bool {
    while !hasRoom(within: 100) {
      ending.stopIfAsked()
      guard ending.isEnding(onTerminal: isTerminal) else {
        end = nil
        continue
      }
      let now = ContinuousClock.now
      let limit = end ?? now + RunEnding.patience
      end = limit
      guard now < limit else {
        hasGivenUp.withLock { $0 = true }
        ending.noteDiscard()
        return false
      }
    }
    return true
  }

  private func hasRoom(within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }
}
