import OpshHTTPServing
import OpshLocking
public import OpshSupport

/// Imitates three web APIs on 127.0.0.1, with invented data and faults on demand.
///
/// These are the Stack Exchange API, the search for tweets as it was in 2012, and the REST API of
/// Parse, which also keeps what clients write, for the run of the server.
///
/// A server costs nothing until it is started, and generates its data with the first request. The
/// same seed gives the same data and the same faults.
///
/// ```swift
/// let server = PracticeServer(seed: 7)
/// try server.start()
/// server.update { $0.latency = .milliseconds(100) }
/// print("\(server.baseURL ?? "")/2.3/questions?site=stackoverflow")
/// server.stop()
/// ```
///
/// All members may be used from any thread.
public final class PracticeServer: Sendable {
  let state: ServerState
  private let limits: HTTPLimits
  /// Held while the server starts or stops, so that these happen one after the other.
  ///
  /// The server's own thread, which stopping waits for, never takes it.
  private let running = Locked<HTTPServer?>(nil)
  /// Beside `running`, so that reading the port does not wait for a start or a stop.
  private let boundPort = Locked<UInt16?>(nil)
  /// What answers instead of a thread with sockets, once that was asked for.
  private let local = Locked<InProcessServer?>(nil)

  /// Creates a server that is not running.
  ///
  /// - Parameter seed: Decides the data and the sequence of faults.
  public convenience init(seed: UInt64 = 1) {
    self.init(seed: seed, limits: HTTPLimits())
  }

  /// Creates a server that goes by a clock that may be slowed down.
  ///
  /// - Parameters:
  ///   - seed: Decides the data and the sequence of faults.
  ///   - clock: What latency, bandwidth and pauses are times of, and what the log's times are.
  public convenience init(seed: UInt64 = 1, clock: PacedClock) {
    self.init(seed: seed, limits: HTTPLimits(), clock: clock)
  }

  /// Creates a server that speaks TLS only; raw faults such as a broken chunk are beyond it.
  ///
  /// - Parameters:
  ///   - seed: Decides the data and the sequence of faults.
  ///   - identity: What it shows its clients.
  public convenience init(seed: UInt64 = 1, identity: TLSIdentity) {
    var limits = HTTPLimits()
    limits.certificate = identity.shown
    self.init(seed: seed, limits: limits)
  }

  init(seed: UInt64, limits: HTTPLimits, clock: PacedClock = PacedClock()) {
    state = ServerState(seed: seed, paced: clock)
    self.limits = limits
  }

  deinit {
    stop()
  }

  /// Starts to serve; does nothing if the server is running already.
  ///
  /// - Parameter port: The port on 127.0.0.1, or 0 for any that is free.
  /// - Throws: `address-in-use` or another error of the system, or `library-missing` when
  ///   libmicrohttpd is not installed.
  public func start(port: UInt16 = 0) throws(PracticeServerError) {
    try running.withLock { server throws(PracticeServerError) in
      guard server == nil else { return }
      if inProcess != nil {
        return boundPort.withLock { $0 = $0 ?? (port == 0 ? Self.inProcessPort : port) }
      }
      let bound: UInt16
      do throws(HTTPServingError) {
        let socket = try ListeningSocket(port: port)
        bound = socket.port
        let service = PracticeService(
          state: state, port: bound, isTLS: limits.certificate != nil)
        server = try HTTPServer(
          name: "practice-server", sockets: [socket], limits: limits, clock: state.paced,
          service: service)
      } catch {
        throw PracticeServerError(code: error.code, message: error.message)
      }
      boundPort.withLock { $0 = bound }
    }
  }

  /// Ends every connection, also those whose answer is held back, and stops serving.
  ///
  /// When it returns, the server's thread is at its end and the port is free. It does nothing if the
  /// server is not running, and the server may be started again.
  public func stop() {
    running.withLock { server in
      boundPort.withLock { $0 = nil }
      server?.stop()
      server = nil
      state.forgetSecurePorts()
    }
  }

  var inProcess: InProcessServer? { local.withLock { $0 } }

  /// Has the server answer in this process only, by a clock of the program's, and listen nowhere.
  ///
  /// It counts as started, and requests go to ``exchange(method:target:headers:body:isSecure:)``,
  /// until ``endInProcess()``.
  ///
  /// - Parameter clock: The present time in nanoseconds since 1970; it never goes back.
  /// - Throws: `already-started` if the server listens on a port.
  public func answerInProcess(
    clock: @escaping @Sendable () -> UInt64
  ) throws(PracticeServerError) {
    try running.withLock { server throws(PracticeServerError) in
      guard server == nil else {
        throw PracticeServerError(
          code: "already-started", message: "the practice server listens on a port already")
      }
      state.setClock(clock)
      local.withLock { $0 = $0 ?? InProcessServer(state: state) }
    }
  }

  /// Has the server go by the system's clock again, and listen on a port when it is started.
  public func endInProcess() {
    running.withLock { _ in
      guard local.withLock({ $0 }) != nil else { return }
      local.withLock { $0 = nil }
      boundPort.withLock { $0 = nil }
      state.setClock(nil)
    }
  }

  /// Whether the server accepts connections.
  public var isRunning: Bool { port != nil }

  /// The port that the server listens on, or nil when it is not running.
  public var port: UInt16? { boundPort.withLock { $0 } }

  /// The address without a path, such as `http://127.0.0.1:49152`, or nil when not running.
  ///
  /// A server that speaks TLS is called `localhost` in it, as certificates do.
  public var baseURL: String? {
    let origin = limits.certificate == nil ? "http://127.0.0.1" : "https://localhost"
    return port.map { "\(origin):\($0)" }
  }

  /// What the server does wrong on purpose.
  public var faults: Faults { state.faults }

  /// Sets the faults for the requests that arrive from now on.
  public func setFaults(_ faults: Faults) {
    state.setFaults(faults)
  }

  /// Changes the faults atomically, also while other threads change them.
  ///
  /// - Parameter body: Changes the faults it is given. It is called again if another thread
  ///   changed the faults while it ran.
  public func update(_ body: (inout Faults) -> Void) {
    while true {
      let current = state.faults
      var changed = current
      body(&changed)
      if state.exchangeFaults(current, for: changed) { return }
    }
  }

  /// The seed that decides the data and the faults.
  public var seed: UInt64 { state.seed }

  /// Takes another seed, begins the faults anew, and forgets what clients have written.
  public func setSeed(_ seed: UInt64) {
    state.setSeed(seed)
  }

  /// Goes back to seed 1, no faults, a full quota and empty statistics.
  ///
  /// What clients have written is forgotten; the log of requests goes on.
  public func reset() {
    state.reset()
  }

  /// What the server has done since it was made or reset.
  public var statistics: Statistics { state.statistics }

  /// The number of the newest record in the log of requests; 0 for none.
  public var lastRecord: Int { state.lastRecord }

  /// Reads the log of requests.
  ///
  /// The latest 2,000 requests are kept, also after a stop or a reset. A record is written when the
  /// request has arrived, and completed when its answer has ended.
  ///
  /// ```swift
  /// var cursor = server.lastRecord
  /// // … requests …
  /// let batch = server.records(after: cursor)
  /// for record in batch.records { print(record.method, record.path, record.status ?? 0) }
  /// cursor = batch.cursor
  /// ```
  ///
  /// - Parameters:
  ///   - cursor: The number of the last record that is known already; 0 for all.
  ///   - limit: The most records to give.
  /// - Returns: The records, the oldest first, and where to go on.
  public func records(after cursor: Int = 0, limit: Int = .max) -> RequestLogBatch {
    state.records(after: cursor, limit: limit)
  }

  /// Waits until the log has the ends of all connections that clients have closed by now.
  ///
  /// Otherwise the log may have them a fifth of a second later.
  ///
  /// - Parameter limit: The longest time to wait.
  public func noticeClosedConnections(within limit: Duration = .milliseconds(200)) {
    running.withLock { $0 }?.noticeClosedConnections(within: limit)
  }

  /// Runs a body, and meanwhile calls a handler after each change of the log of requests.
  ///
  /// - Parameters:
  ///   - reader: The handler; called on the server's own thread, and must not take long.
  ///   - body: Reads the log.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func following<Result>(
    _ reader: @escaping @Sendable () -> Void, _ body: () throws -> Result
  ) rethrows -> Result {
    let key = state.addReader(reader)
    defer { state.removeReader(key) }
    return try body()
  }
}
