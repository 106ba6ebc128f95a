import OpshLocking
import Synchronization
import OpshSystemCalls

/// Bytes that are written unchanged.
extension Output {
  /// Writes bytes unchanged to a stream for which ``isShown(on:)`` is false.
  ///
  /// The next line starts on a line of its own.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - stream: The stream.
  ///   - beginsLine: Whether to end an unfinished line first.
  package func bytes(
    _ bytes: [UInt8], to stream: Stream = .standardOutput, beginsLine: Bool = false
  ) {
    guard held.keep(.bytes(bytes, stream, beginsLine: beginsLine)) else {
      return write(bytes: bytes, to: stream, beginsLine: beginsLine)
    }
    wakeUp?.signal()
  }

  /// Writes bytes unchanged, now.
  func write(bytes: [UInt8], to stream: Stream, beginsLine: Bool) {
    guard let last = bytes.last else { return }
    state.withLock { state in
      guard !state.isSilent else { return }
      let isLate =
        isAfterOther(stream, &state) || beginsLine && state.unendedStreams.contains(stream)
      let bytes = isLate ? [UInt8(ascii: "\n")] + bytes : bytes
      guard writeError == 0 || stream != .standardOutput else { return }
      let error = bytes.withUnsafeBytes { put($0, to: stream) }
      if stream == .standardOutput { firstWriteError.store(error, ordering: .relaxed) }
      if last == UInt8(ascii: "\n") {
        state.unendedStreams.remove(stream)
      } else {
        state.unendedStreams.insert(stream)
      }
    }
  }

  /// Whether the last bytes of the other stream, which goes to the same file or program, did not
  /// end a line; the line counts as ended then.
  func isAfterOther(_ stream: Stream, _ state: inout State) -> Bool {
    guard streamsShareTarget else { return false }
    let other: Stream = stream == .standardOutput ? .standardError : .standardOutput
    let isUnended = state.unendedStreams.remove(other)
    return state.partialStreams.remove(other) || isUnended
  }
}
