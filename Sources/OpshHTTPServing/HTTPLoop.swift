import COpshMicroHTTPD
import Foundation
import OpshLocking
import OpshSupport
import OpshSystemCalls

/// Runs libmicrohttpd and all timers on one thread.
///
/// The library offers threads of its own, but then the answers that are held back would have to
/// be resumed from another thread. Here one thread polls the library's descriptor, with the
/// nearest timer as the time limit, and everything else, the callbacks included, happens on that
/// thread: nothing in this class needs a lock. Thousands of delayed requests are as many entries
/// in a heap.
final class HTTPLoop {
  let library: MicroHTTPDLibrary
  let service: any HTTPService
  let limits: HTTPLimits
  /// What the times of holds are of.
  private let clock: PacedClock
  private var connections: [UInt64: HTTPConnection] = [:]

  private let wakeUp: WakeUp
  private let isStopped: Locked<Bool>
  /// Those who wait for the next look at the held connections.
  private let looks: Locked<[DispatchSemaphore]>
  /// The library's servers, one for each port.
  private var daemons: [(daemon: OpaquePointer, listener: HTTPListener)] = []
  private var nextIdentifier: UInt64 = 0
  /// Identifiers of connections by the time at which they are to be resumed.
  private var timers = TimerHeap<UInt64, UInt64>()
  private var nextSweep: UInt64 = 0
  /// Identifiers of connections whose client may leave while the server holds its answer back.
  private var held: Set<UInt64> = []
  private var nextLookAtHeld: UInt64 = 0
  /// When to look for addresses with too many connections; nil if none was opened meanwhile.
  private var nextTrim: UInt64?

  /// Creates a loop, which ends after a wake-up if `isStopped` is true.
  init(
    library: MicroHTTPDLibrary, service: any HTTPService, limits: HTTPLimits,
    clock: PacedClock, wakeUp: WakeUp, isStopped: Locked<Bool>, looks: Locked<[DispatchSemaphore]>
  ) {
    self.clock = clock
    self.library = library
    self.service = service
    self.limits = limits
    self.wakeUp = wakeUp
    self.isStopped = isStopped
    self.looks = looks
  }

  /// Hands a listening socket to libmicrohttpd, which owns it from then on.
  ///
  /// - Parameters:
  ///   - socket: The socket.
  ///   - index: Its place among those that the server is started with; nil for a later one.
  ///   - certificate: What it shows its clients; nil for a server that does not speak TLS.
  /// - Returns: Whether the library accepted it.
  func startDaemon(
    _ socket: ListeningSocket, index: Int?, _ certificate: HTTPLimits.Certificate?
  ) -> Bool {
    let listener = HTTPListener(index: index, loop: self)
    let daemon = opsh_mhd_start(
      library.table, socket.descriptor, limits.connections, limits.idleSeconds,
      limits.headerBytes, certificate?.text, certificate?.privateKey,
      Unmanaged.passUnretained(listener).toOpaque(),
      httpHandleRequest, httpRequestCompleted, httpConnectionChanged, httpTargetReceived)
    guard let daemon else { return false }
    daemons.append((daemon, listener))
    return true
  }

  /// Opens another port that speaks TLS.
  func openPort(showing certificate: HTTPLimits.Certificate) -> UInt16? {
    // The library owns the socket also where it does not accept it.
    guard let listening = try? ListeningSocket(port: 0),
      startDaemon(listening, index: nil, certificate)
    else { return nil }
    return listening.port
  }

  /// Serves until it is stopped.
  func run() {
    var descriptors = [pollfd(fd: wakeUp.fileDescriptor, events: Int16(POLLIN), revents: 0)]
    while true {
      // A daemon may be started while another one runs.
      for (daemon, _) in daemons[(descriptors.count - 1)...] {
        let descriptor = opsh_mhd_poll_descriptor(library.table, daemon)
        descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
      }
      _ = poll(&descriptors, nfds_t(descriptors.count), pollTimeout())
      if descriptors[0].revents != 0 {
        wakeUp.drain()
        if isStopped.withLock({ $0 }) { return }
      }
      let now = monotonicNanoseconds()
      service.attend(now: now)
      resumeDueConnections()
      closeOverdueConnections(now: now)
      let waiting = looks.withLock { looks in
        defer { looks = [] }
        return looks
      }
      if !waiting.isEmpty { nextLookAtHeld = now }
      giveUpAbandonedConnections(now: now)
      closeExcessConnections(now: now)
      for (daemon, _) in daemons { _ = library.functions.run(daemon) }
      for look in waiting { look.signal() }
    }
  }

  /// Closes all connections and the listening sockets.
  func end() {
    // The library aborts the process when it is stopped while it holds suspended connections.
    for connection in connections.values { resume(connection) }
    for (daemon, _) in daemons { library.functions.stop_daemon(daemon) }
    daemons = []
  }

  // MARK: Connections

  func opened(_ handle: OpaquePointer, by listener: HTTPListener) -> HTTPConnection {
    let now = monotonicNanoseconds()
    let connection = HTTPConnection(
      identifier: nextIdentifier, listener: listener, handle: handle, loop: self, now: now)
    nextIdentifier += 1
    if connections.isEmpty { nextSweep = now + sweepInterval }
    connections[connection.identifier] = connection
    if limits.waitingPerAddress != nil, nextTrim == nil { nextTrim = now + Self.trimInterval }
    service.opened(connection)
    return connection
  }

  func closed(_ connection: HTTPConnection) {
    connections[connection.identifier] = nil
    held.remove(connection.identifier)
    service.closed(connection)
  }

  func requestEnded(on connection: HTTPConnection) {
    service.ended(on: connection)
    connection.beginRequest(now: monotonicNanoseconds())
  }

  // MARK: Timers

  /// Suspends a connection on which libmicrohttpd sends nothing meanwhile: its client may leave
  /// unnoticed.
  ///
  /// The deadline is one of the service's clock.
  func hold(_ connection: HTTPConnection, until deadline: UInt64?) {
    if held.isEmpty { nextLookAtHeld = monotonicNanoseconds() + Self.heldInterval }
    held.insert(connection.identifier)
    connection.isSuspended = true
    library.functions.suspend_connection(connection.handle)
    connection.deadline = deadline
    if let deadline { timers.insert(connection.identifier, at: deadline) }
  }

  /// Goes on with a connection, if it is suspended.
  func resume(_ connection: HTTPConnection) {
    guard connection.isSuspended else { return }
    connection.isSuspended = false
    held.remove(connection.identifier)
    library.functions.resume_connection(connection.handle)
  }

  private func resumeDueConnections() {
    guard timers.count > 0 else { return }
    let now = UInt64(clock.nanoseconds())
    while let first = timers.first, first.time <= now {
      timers.popFirst()
      // Another deadline is that of an earlier hold.
      if let connection = connections[first.value], connection.deadline == first.time {
        resume(connection)
      }
    }
  }

  private var sweepInterval: UInt64 { max(1, min(limits.requestNanoseconds / 4, 5_000_000_000)) }

  /// Cuts off clients whose request does not become complete, however steadily it trickles in.
  ///
  /// libmicrohttpd's own limit begins anew with every byte.
  private func closeOverdueConnections(now: UInt64) {
    guard !connections.isEmpty, now >= nextSweep else { return }
    nextSweep = now + sweepInterval
    for connection in connections.values {
      guard !connection.isComplete, !connection.isSuspended,
        now - connection.receivingSince > limits.requestNanoseconds
      else { continue }
      cutOff(connection)
    }
  }

  /// Ends the stream of a connection, which the library sees, and does the rest.
  private func cutOff(_ connection: HTTPConnection) {
    let descriptor = connection.socket
    if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  /// How long a new client has time for its request before it counts as idle.
  private static let trimInterval: UInt64 = 250_000_000

  /// Cuts off connections that wait for a request, where one address has too many of them: it would
  /// lock all others out.
  ///
  /// Those that have never sent one go first, then those between two requests, and those whose
  /// request is incomplete last; of equal ones the oldest.
  private func closeExcessConnections(now: UInt64) {
    guard let limit = limits.waitingPerAddress, let due = nextTrim, now >= due else { return }
    nextTrim = nil
    let waiting = Dictionary(
      grouping: connections.values.filter(\.isWaiting), by: \.clientAddress)
    for group in waiting.values where group.count > limit {
      let excess = group.sorted { $0.usefulness < $1.usefulness }.prefix(group.count - limit)
      let idle = excess.filter {
        now - $0.receivingSince >= Self.trimInterval && !$0.hasUnreadBytes
      }
      if idle.count < excess.count { nextTrim = now + Self.trimInterval }
      idle.forEach(cutOff)
    }
  }

  private static let heldInterval: UInt64 = 200_000_000

  /// Lets go of connections whose client has gone while its answer was held back.
  ///
  /// libmicrohttpd does not look at suspended connections, and a stall has no end of its own. A
  /// client that has only ended its own direction counts as gone too, as with other servers.
  private func giveUpAbandonedConnections(now: UInt64) {
    guard !held.isEmpty, now >= nextLookAtHeld else { return }
    nextLookAtHeld = now + Self.heldInterval
    let waiting = held.compactMap { connections[$0] }
    var descriptors = waiting.map { connection in
      pollfd(
        fd: opsh_mhd_connection_socket(library.table, connection.handle),
        events: endOfStreamEvents, revents: 0)
    }
    guard poll(&descriptors, nfds_t(descriptors.count), 0) > 0 else { return }
    for (connection, descriptor) in zip(waiting, descriptors) where descriptor.revents != 0 {
      connection.isAbandoned = true
      resume(connection)
    }
  }

  /// How long `poll` may sleep, in milliseconds; -1 for ever.
  private func pollTimeout() -> Int32 {
    var milliseconds = UInt64.max
    for (daemon, _) in daemons {
      var ofLibrary: CUnsignedLongLong = 0
      if library.functions.get_timeout(daemon, &ofLibrary) == opsh_mhd_yes {
        milliseconds = min(milliseconds, UInt64(ofLibrary))
      }
    }
    var deadline = timers.first.map {
      UInt64(clock.systemNanoseconds(at: Int64(clamping: $0.time)))
    }
    if !connections.isEmpty { deadline = min(deadline ?? .max, nextSweep) }
    if !held.isEmpty { deadline = min(deadline ?? .max, nextLookAtHeld) }
    if let nextTrim { deadline = min(deadline ?? .max, nextTrim) }
    if let attention = service.nextAttention { deadline = min(deadline ?? .max, attention) }
    if let deadline {
      let now = monotonicNanoseconds()
      // Rounded up, so that nothing is resumed early and the loop does not spin before it.
      let remaining = deadline > now ? (deadline - now + 999_999) / 1_000_000 : 0
      milliseconds = min(milliseconds, remaining)
    }
    return milliseconds == .max ? -1 : Int32(min(milliseconds, 3_600_000))
  }
}

@available(*, unavailable)
extension HTTPLoop: Sendable {}

#if os(Linux)
  /// `POLLRDHUP`, which Swift does not see: the peer will send no more.
  private let endOfStreamEvents: Int16 = 0x2000
#else
  private let endOfStreamEvents: Int16 = 0
#endif
