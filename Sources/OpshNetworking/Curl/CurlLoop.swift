import COpshCurl
import Foundation
import OpshLocking
import OpshSupport
import Synchronization
import OpshSystemCalls

/// The loop of the engine's thread.
final class CurlLoop {
  private let engine: CurlEngine
  /// Every transfer that was submitted and has not completed, waiting or active.
  private var transfers: [Int: CurlTransfer] = [:]
  /// Transfers that wait for a free slot, in order; completed ones are skipped when they are first.
  private var waiting = FIFO<Int>()
  private var activeCount = 0
  /// The active transfers whose body is read piece by piece.
  private var uploads: [CurlTransfer] = []
  /// No timer is due earlier; may be earlier than needed, because activity only postpones timers.
  private var nextCheck: ContinuousClock.Instant?
  /// When the library had been loaded and the loop could process transfers.
  private var loopStart: ContinuousClock.Instant
  private var clock: PacedClock { engine.clock }

  init(engine: CurlEngine) {
    self.engine = engine
    loopStart = engine.clock.now
  }

  /// Runs until the engine is asked to stop.
  func run() {
    switch CurlLibrary.shared {
    case .failure(let reason): engine.giveUp(reason)
    case .success(let library):
      guard let wakeUp = try? WakeUp() else {
        return engine.giveUp(.transportUnavailable("the process has no file descriptor left"))
      }
      let sockets = SocketWatch(wakeUp)
      guard let multi = library.functions.multi_init(), sockets.observe(multi, library) else {
        return engine.giveUp(.transportUnavailable("the library libcurl could not be initialised"))
      }
      // Fewer idle connections than transfers would prevent their reuse.
      opsh_curl_multi_set_long(
        library.table, multi, CURLMOPT_MAXCONNECTS, engine.width + 8)
      loopStart = clock.now
      engine.announce(library, wakeUp, at: loopStart)
      run(library, multi, sockets)
      withExtendedLifetime(sockets) { _ = library.functions.multi_cleanup(multi) }
    }
  }

  private func run(
    _ library: CurlLibrary, _ multi: UnsafeMutableRawPointer, _ sockets: SocketWatch
  ) {
    var isStopping = false
    while true {
      // Before the messages: one of them may resume a paused transfer.
      let system = ContinuousClock.now
      let began = clock.instant(atSystem: system)
      engine.time.now = began
      for message in engine.takeMessages() {
        if case .stop = message { isStopping = true }
        handle(message, library, multi)
      }
      guard !isStopping else { break }
      fillPlaces(library, multi)
      var status = CURLM_OK
      // Transfers that were just added start here too.
      if sockets.takeDue(at: system) {
        status = act(on: CURL_SOCKET_TIMEOUT, 0, library, multi)
        finishDone(library, multi)
      }
      let mustGoOn = sockets.isDueNow || activeCount < engine.width && !waiting.isEmpty
      let maySleep = !mustGoOn && engine.mayFallAsleep()
      // A permanent error must not cause a busy loop.
      sockets.wait(status == CURLM_OK ? maySleep ? pollTimeout(sockets) : 0 : 10)
      engine.time.now = clock.now
      for event in sockets.events { act(on: event.socket, event.mask, library, multi) }
      for transfer in uploads {
        let sent = bytesSent(by: transfer, library)
        transfer.upload?.withLock { $0 = sent }
      }
      finishDone(library, multi)
      checkTimers(library, multi, at: began)
    }
    let idleHandles = engine.withdraw()
    for transfer in transfers.values.sorted(by: { $0.id < $1.id }) {
      end(transfer, .failure(.cancelled), library, multi)
    }
    for handle in idleHandles { handle.free(library) }
  }

  /// Makes libcurl process a socket.
  @discardableResult
  private func act(
    on socket: curl_socket_t, _ mask: Int32, _ library: CurlLibrary,
    _ multi: UnsafeMutableRawPointer
  ) -> CURLMcode {
    var running: Int32 = 0
    return library.functions.multi_socket_action(multi, socket, mask, &running)
  }

  private func handle(
    _ message: CurlEngine.Message, _ library: CurlLibrary, _ multi: UnsafeMutableRawPointer
  ) {
    switch message {
    case .submit(let transfer):
      transfer.begin(noEarlierThan: loopStart)
      transfers[transfer.id] = transfer
      transfer.isWaiting.store(
        activeCount + waiting.count >= engine.width, ordering: .relaxed)
      waiting.append(transfer.id)
      if let deadline = transfer.deadline { check(noLaterThan: deadline) }
    case .cancel(let id):
      guard let transfer = transfers[id] else { return }
      end(transfer, .failure(.cancelled), library, multi)
    case .resume(let id):
      guard let transfer = transfers[id], transfer.isPaused else { return }
      transfer.isPaused = false
      transfer.lastActivity = clock.now
      if let idle = transfer.request.transfer.idleTimeout {
        check(noLaterThan: transfer.lastActivity + idle)
      }
      // Delivers buffered data from inside this call.
      if let handle = transfer.handle {
        _ = library.functions.easy_pause(handle.easy, CURLPAUSE_CONT)
      }
    // The wait that follows is as long as the next timer takes now.
    case .clockChanged, .stop: break
    }
  }

  private func fillPlaces(_ library: CurlLibrary, _ multi: UnsafeMutableRawPointer) {
    while activeCount < engine.width, let id = waiting.popFirst() {
      guard let transfer = transfers[id] else { continue }
      do {
        try transfer.request.validate()
      } catch {
        end(transfer, .failure(error), library, multi)
        continue
      }
      activate(transfer, library, multi)
    }
  }

  private func activate(
    _ transfer: CurlTransfer, _ library: CurlLibrary, _ multi: UnsafeMutableRawPointer
  ) {
    let noMemory = NetworkError.transportUnavailable("there is no memory left for a transfer")
    let given = transfer.handle
    guard let handle = given ?? engine.takeIdleHandle()?.handle ?? CurlHandle(library) else {
      return end(transfer, .failure(noMemory), library, multi)
    }
    if given == nil { transfer.configure(handle, library) }
    transfer.isActive = true
    transfer.beginExchange()
    transfer.lastActivity = transfer.exchangeStarted
    activeCount += 1
    if transfer.bodyReader != nil { uploads.append(transfer) }
    if let idle = transfer.request.transfer.idleTimeout {
      check(noLaterThan: transfer.lastActivity + idle)
    }
    guard library.functions.multi_add_handle(multi, handle.easy) == CURLM_OK else {
      return end(transfer, .failure(noMemory), library, multi)
    }
  }

  private func finishDone(_ library: CurlLibrary, _ multi: UnsafeMutableRawPointer) {
    var left: Int32 = 0
    while let message = library.functions.multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else {
        continue
      }
      var context: UnsafeMutableRawPointer?
      opsh_curl_get_pointer(library.table, handle, CURLINFO_PRIVATE, &context)
      guard let context else { continue }
      let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
      // Read before the handle is removed, which invalidates the message.
      let code = opsh_curl_message_result(message)
      transfer.isSound = code == CURLE_OK
      if case .redirected(let next) = transfer.verdict {
        transfer.report(library)
        release(transfer, library, multi)
        transfer.begin(redirectedTo: next)
        activate(transfer, library, multi)
      } else {
        end(transfer, transfer.result(code, library: library), library, multi)
      }
    }
  }

  /// The only exit of a transfer: releases all its resources, and then calls its delegate.
  private func end(
    _ transfer: CurlTransfer, _ result: Result<TransferSummary, NetworkError>,
    _ library: CurlLibrary, _ multi: UnsafeMutableRawPointer
  ) {
    guard transfers.removeValue(forKey: transfer.id) != nil else { return }
    transfer.report(library)
    release(transfer, library, multi)
    transfer.complete(result)
  }

  private func release(
    _ transfer: CurlTransfer, _ library: CurlLibrary, _ multi: UnsafeMutableRawPointer
  ) {
    guard transfer.isActive, let handle = transfer.handle else {
      // It was cancelled or exceeded its deadline before it had a slot.
      return transfer.free(library)
    }
    transfer.isActive = false
    transfer.handle = nil
    activeCount -= 1
    uploads.removeAll { $0 === transfer }
    var systemError = 0
    opsh_curl_get_long(library.table, handle.easy, CURLINFO_OS_ERRNO, &systemError)
    _ = library.functions.multi_remove_handle(multi, handle.easy)
    handle.endExchange(isSound: transfer.isSound && systemError == 0)
    // The system's error number survives a reset, and would be attributed to the next transfer.
    if systemError != 0 || !engine.keep(handle) { handle.free(library) }
  }

  // MARK: Timers

  private func pollTimeout(_ sockets: SocketWatch) -> Int32 {
    let check = nextCheck.map(clock.systemInstant(at:))
    guard let next = [check, sockets.due].compactMap(\.self).min() else { return 60_000 }
    return Int32(clamping: max(0, (next - .now).wholeMilliseconds))
  }

  private func check(noLaterThan instant: ContinuousClock.Instant) {
    nextCheck = nextCheck.map { min($0, instant) } ?? instant
  }

  /// Ends overdue transfers.
  ///
  /// Examines all transfers, but only when the nearest timer is due, not after each arrival. The
  /// time that counts is the start of the iteration, before sockets are polled: all bytes that had
  /// arrived by then were read in this iteration, so delays of this thread do not count as idle
  /// time.
  private func checkTimers(
    _ library: CurlLibrary, _ multi: UnsafeMutableRawPointer, at now: ContinuousClock.Instant
  ) {
    guard let due = nextCheck, due <= now else { return }
    nextCheck = nil
    var overdue: [(CurlTransfer, RequestTimeout.Phase, Duration)] = []
    for transfer in transfers.values {
      if let deadline = transfer.deadline, let limit = transfer.request.timeout {
        guard deadline > now else {
          overdue.append((transfer, .total, limit))
          continue
        }
        check(noLaterThan: deadline)
      }
      // Waiting for a slot and being paused do not count as idle time.
      guard let idle = transfer.request.transfer.idleTimeout, transfer.isActive, !transfer.isPaused
      else { continue }
      if transfer.lastActivity + idle <= now { noteSending(transfer, library, now) }
      let end = transfer.lastActivity + idle
      if end <= now { overdue.append((transfer, .idle, idle)) } else { check(noLaterThan: end) }
    }
    for (transfer, phase, limit) in overdue {
      let timeout = RequestTimeout(
        phase, limit: limit, bytesReceived: transfer.bytesReceived,
        bytesSent: bytesSent(by: transfer, library))
      end(transfer, .failure(.timedOut(timeout)), library, multi)
    }
  }

  /// Counts sent bytes of a request body as activity: there may be no callback for them.
  private func noteSending(
    _ transfer: CurlTransfer, _ library: CurlLibrary, _ now: ContinuousClock.Instant
  ) {
    guard let sent = bytesSent(by: transfer, library)?.bytes, sent > transfer.bytesSentAtLastLook
    else { return }
    transfer.bytesSentAtLastLook = sent
    transfer.lastActivity = now
  }

  /// How much of the body of a request has been sent; nil for a request without a body.
  private func bytesSent(
    by transfer: CurlTransfer, _ library: CurlLibrary
  ) -> RequestTimeout.Sent? {
    guard let handle = transfer.handle, handle.sendsBody,
      let total = transfer.request.bodyToSend?.count, total > 0
    else { return nil }
    var sent: curl_off_t = 0
    opsh_curl_get_offset(library.table, handle.easy, CURLINFO_SIZE_UPLOAD_T, &sent)
    return RequestTimeout.Sent(bytes: Int(sent), total: total)
  }
}
