import CMicroHTTPD
import Foundation
import Support

/// Runs libmicrohttpd and all timers on one thread.
///
/// The library offers threads of its own, but then the answers that are held back would have to
/// be resumed from another thread. Here one thread polls the library's descriptor, with the
/// nearest timer as the time limit, and everything else, the callbacks included, happens on that
/// thread: nothing in this class needs a lock. Thousands of delayed requests are as many entries
/// in a heap.
final class ServerLoop {
  let library: MicroHTTPDLibrary
  let state: ServerState
  let limits: ServerLimits
  let port: UInt16
  var connections: [UInt64: ServerConnection] = [:]
  var api = PracticeAPI()

  private let wakeDescriptor: Int32
  /// The library's servers: the one that is asked, and those that show certificates for faults.
  private var daemons: [OpaquePointer] = []
  private var nextIdentifier: UInt64 = 0
  /// Identifiers of connections by the time at which they are to be resumed.
  private var timers = TimerHeap<UInt64, UInt64>()
  private var nextSweep: UInt64 = 0
  /// Identifiers of connections whose client may leave while the server holds its answer back.
  private var held: Set<UInt64> = []
  private var nextLookAtHeld: UInt64 = 0

  /// Creates a loop.
  ///
  /// - Parameters:
  ///   - library: The functions of libmicrohttpd.
  ///   - state: What is shared with the program.
  ///   - limits: What clients may ask for.
  ///   - port: The port that is served.
  ///   - wakeDescriptor: Ends the loop when it becomes readable. The loop closes it.
  init(
    library: MicroHTTPDLibrary, state: ServerState, limits: ServerLimits, port: UInt16,
    wakeDescriptor: Int32
  ) {
    self.library = library
    self.state = state
    self.limits = limits
    self.port = port
    self.wakeDescriptor = wakeDescriptor
  }

  /// Hands a listening socket to libmicrohttpd, which owns it from then on.
  ///
  /// - Parameter listeningSocket: The socket.
  /// - Returns: Whether the library accepted it.
  func startDaemon(listeningSocket: Int32) -> Bool {
    startDaemon(listeningSocket, limits.identity)
  }

  private func startDaemon(_ listeningSocket: Int32, _ identity: TLSIdentity?) -> Bool {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let daemon = opsh_mhd_start(
      library.table, listeningSocket, limits.connections, limits.idleSeconds,
      limits.headerBytes, identity?.certificate, identity?.privateKey, context,
      serverHandleRequest, serverRequestCompleted, serverConnectionChanged, serverTargetReceived)
    guard let daemon else { return false }
    daemons.append(daemon)
    return true
  }

  /// Opens the port on which a certificate with a mistake is shown, unless it is open already.
  ///
  /// - Parameter mistake: What is wrong with the certificate.
  /// - Returns: The port; nil if the library can't speak TLS, or the system has no socket left.
  func openPort(showing mistake: CertificateMistake) -> UInt16? {
    if let port = state.securePort(of: mistake) { return port }
    // The library owns the socket also where it does not accept it.
    guard let listening = try? ListeningSocket(port: 0),
      startDaemon(listening.descriptor, mistake.identity)
    else { return nil }
    state.noteSecurePort(listening.port, of: mistake)
    return listening.port
  }

  /// Serves until the wake descriptor becomes readable.
  func run() {
    var descriptors = [pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)]
    while true {
      // A daemon may be started while another one runs.
      for daemon in daemons[(descriptors.count - 1)...] {
        let descriptor = opsh_mhd_poll_descriptor(library.table, daemon)
        descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
      }
      _ = poll(&descriptors, nfds_t(descriptors.count), pollTimeout())
      if descriptors[0].revents != 0 { return }
      let now = monotonicNanoseconds()
      resumeDueConnections(now: now)
      closeOverdueConnections(now: now)
      giveUpAbandonedConnections(now: now)
      for daemon in daemons { _ = library.functions.run(daemon) }
    }
  }

  /// Closes all connections and the listening socket.
  func end() {
    // The library aborts the process when it is stopped while it holds suspended connections.
    for connection in connections.values where connection.isSuspended {
      resume(connection)
    }
    for daemon in daemons { library.functions.stop_daemon(daemon) }
    daemons = []
    close(wakeDescriptor)
  }

  // MARK: Connections

  func connectionOpened(_ handle: OpaquePointer) -> ServerConnection {
    let now = monotonicNanoseconds()
    let connection = ServerConnection(identifier: nextIdentifier, handle: handle, now: now)
    nextIdentifier += 1
    if connections.isEmpty { nextSweep = now + sweepInterval }
    connections[connection.identifier] = connection
    state.countConnection()
    return connection
  }

  func connectionClosed(_ connection: ServerConnection) {
    connections[connection.identifier] = nil
    held.remove(connection.identifier)
  }

  // MARK: Timers

  /// Makes libmicrohttpd leave a connection alone until a point in time.
  func suspend(_ connection: ServerConnection, until deadline: UInt64) {
    connection.isSuspended = true
    library.functions.suspend_connection(connection.handle)
    timers.insert(connection.identifier, at: deadline)
  }

  /// Suspends a connection on which nothing is sent meanwhile: its client may leave unnoticed.
  func hold(_ connection: ServerConnection, until deadline: UInt64) {
    if held.isEmpty { nextLookAtHeld = monotonicNanoseconds() + Self.heldInterval }
    held.insert(connection.identifier)
    suspend(connection, until: deadline)
  }

  private func resume(_ connection: ServerConnection) {
    connection.isSuspended = false
    held.remove(connection.identifier)
    library.functions.resume_connection(connection.handle)
  }

  private func resumeDueConnections(now: UInt64) {
    while let first = timers.first, first.time <= now {
      timers.popFirst()
      if let connection = connections[first.value], connection.isSuspended {
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
      guard case .receiving = connection.phase, !connection.isSuspended,
        now - connection.receivingSince > limits.requestNanoseconds
      else { continue }
      let descriptor = opsh_mhd_connection_socket(library.table, connection.handle)
      // The library sees the end of the stream and does the rest.
      if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
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
    for daemon in daemons {
      var ofLibrary: CUnsignedLongLong = 0
      if library.functions.get_timeout(daemon, &ofLibrary) == opsh_mhd_yes {
        milliseconds = min(milliseconds, UInt64(ofLibrary))
      }
    }
    var deadline = timers.first?.time
    if !connections.isEmpty { deadline = min(deadline ?? .max, nextSweep) }
    if !held.isEmpty { deadline = min(deadline ?? .max, nextLookAtHeld) }
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
extension ServerLoop: Sendable {}

/// Nanoseconds of the monotonic clock.
func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Nanoseconds since 1970, by the clock on the wall.
func wallNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

#if os(Linux)
  /// `POLLRDHUP`, which Swift does not see: the peer will send no more.
  private let endOfStreamEvents: Int16 = 0x2000
#else
  private let endOfStreamEvents: Int16 = 0
#endif
