import Foundation
import OpshLocking
import Operations
import ShellOutput

/// How one session takes the place of another in the same run.
extension Session {
  /// Creates a session as at the start that goes on with what is outside and with the settings.
  ///
  /// - Parameter other: The session that ends, in which nothing runs any more.
  /// - Throws: An error if the practice server can't go by the clock of the new one.
  package convenience init(afterResetOf other: Session) throws {
    let isVirtual = other.run.mode.isRepeatable
    let elapsed = other.run.clock.now - other.run.clock.startInstant
    self.init(
      succeeding: other, outside: other.outside,
      earlier: other.jobs.clock.offset + (isVirtual ? elapsed : .zero))
    let (registry, old) = (jobs.operations, other.jobs.operations)
    (registry.limit, registry.sizeLimit) = (old.limit, old.sizeLimit)
    run.fitLogCapacity()
    jobs.engine.log.setTextLimit(OperationRegistry.logTextLimit(keeping: registry.sizeLimit))
    screen.keepSettings(of: other.screen)
    if isVirtual {
      jobs.engine.virtualClock.begin()
      try outside.attach(to: jobs.engine)
    }
    if let seed = other.run.seed { run.setSeed(seed) }
    let status = other.jobs.failures.status
    if status != 0 { jobs.failures.note(status: status) }
    run.continueInputs(of: other.run)
    if run.inputs.isRetaking {
      run.interrupt.stayRaised(true)
      run.retakingHost.withLock { $0 = self }
    }
  }

  /// Creates a session that takes inputs of another one again.
  ///
  /// - Parameters:
  ///   - other: The session whose inputs they are, which goes on until the new one takes over.
  ///   - stop: Up to where they are taken.
  package convenience init(retaking other: Session, upTo stop: InputLog.Stop) {
    self.init(succeeding: other, outside: nil, earlier: .zero)
    outside.files.beginRetaking(other.outside.files, upTo: stop.mark.fileUses)
    run.inputs.beginRetaking(
      other.run.inputs, Array(other.run.inputs.entries.prefix(stop.entryCount)))
    run.interrupt.stayRaised(true)
    run.retakingHost.withLock { $0 = self }
  }

  /// Ends the taking of inputs.
  ///
  /// - Parameters:
  ///   - other: The session whose inputs they were.
  ///   - stop: Up to where they were taken.
  /// - Returns: The paths of what the other one wrote after that.
  /// - Throws: The system's error for the copy of a file.
  package func endRetaking(_ other: Session, upTo stop: InputLog.Stop) throws -> [String] {
    run.interrupt.stayRaised(false)
    run.retakingHost.withLock { $0 = nil }
    run.inputs.endRetaking()
    return try outside.files.endRetaking(other.outside.files, from: stop.mark.fileUses)
  }

  /// Goes on in the place of another session, which ends without a word.
  ///
  /// - Parameters:
  ///   - other: The session that ends.
  ///   - reason: Why, for those that follow it: `reset` or `back`.
  package func takeOver(from other: Session, because reason: String) {
    other.screen.feed.drain()
    screen.output.takeOver(from: other.screen.output)
    run.takeOver(from: other.run, because: reason, host: self)
    other.endQuietly(keepsOutside: outside === other.outside)
  }

  private func endQuietly(keepsOutside: Bool) {
    jobs.eventHandlers.removeAll()
    run.endBodies()
    run.mode.end()
    jobs.operations.recipes.forgetAll()
    screen.end()
    jobs.shutDown()
    if !keepsOutside { outside.shutDown() }
  }
}
