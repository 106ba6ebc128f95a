import Foundation
package import OpshLocking
package import OpshNetworking
package import Operations
package import PracticeServer
package import ShellLanguage
import OpshSupport

/// The environment of the shell: the practice server, the transport, and the selected services.
///
/// They are created on first use, so a session without requests has no cost.
package final class NetworkEnvironment: Sendable {
  private let madeServer: Locked<PracticeServer?>
  private let madeQueue = Locked<InspectableQueue?>(nil)
  private let network: CurlTransport
  private let clock: PacedClock
  private let networkPacer = RequestPacer()
  /// The transport and pacer for the virtual clock.
  private let local = Locked<(transport: InProcessTransport, pacer: RequestPacer)?>(nil)
  private let selected: Locked<Services>
  /// The files of cookies by their paths.
  private let jars = Locked<[String: CookieJar]>([:])
  /// Files that a warning was shown about.
  private let notedFiles = Locked<Set<String>>([])
  /// The options of requests whose commands set no others.
  package let requestDefaults: Locked<RequestOptions>
  /// The requests in flight, which equal ones can join.
  package let coalescer = RequestCoalescer()

  init(services: Services, environment: [String: String], clock: PacedClock) {
    self.clock = clock
    var defaults = RequestOptions()
    defaults.coalescer = coalescer
    requestDefaults = Locked(defaults)
    selected = Locked(services)
    let madeServer = Locked<PracticeServer?>(nil)
    self.madeServer = madeServer
    network = CurlTransport(
      configuration: .init(environment: environment), clock: clock
    ) { origin in
      let server = madeServer.withLock { $0 }
      return server?.certificateMistake(at: origin).map { _ in PracticeServer.issuerCertificate }
    }
  }

  /// The practice server, which starts on first use.
  package var server: PracticeServer {
    madeServer.withLock { made in
      if let made { return made }
      let server = PracticeServer(clock: clock)
      made = server
      return server
    }
  }

  /// The queue of the requests that `--blocking` waits for.
  package var blockingQueue: InspectableQueue {
    madeQueue.withLock { made in
      if let made { return made }
      let queue = InspectableQueue(
        name: "blocking",
        maxConcurrentOperationCount: InspectableQueue.defaultMaxConcurrentOperationCount,
        engine: OperationEngine())
      made = queue
      return queue
    }
  }

  /// How to send two equal requests once; nil as long as none was sent while an equal one was in flight.
  package var repetitionHint: String? {
    coalescer.repetition.map { repetition in
      "\(repetition.second.name) sends the same request as \(repetition.first.name), which is under "
        + "way; with 'queue coalesce on' it would join that one"
    }
  }

  /// The transport for requests.
  package var transport: any Transport { local.withLock { $0?.transport } ?? network }

  /// Loads libcurl on the transport's thread, while operations that will use it are built.
  package func prepareTransport() { if !isLocal { network.prepare() } }

  /// Remembers the pauses that services ask for.
  package var pacer: RequestPacer { local.withLock { $0?.pacer } ?? networkPacer }

  /// Called at the end of every attempt of a request, on a thread of the network.
  var attemptHandler: (@Sendable (AttemptReport) -> Void)? {
    get { networkPacer.attemptHandler }
    set { networkPacer.attemptHandler = newValue }
  }

  /// Whether all requests are answered inside the process.
  package var isLocal: Bool { local.withLock { $0 != nil } }

  /// Makes the practice server answer inside the process, by the engine's virtual clock.
  ///
  /// - Throws: `PracticeServerError` if the server already listens on a port.
  func useInProcessServer(engine: OperationEngine) throws(PracticeServerError) {
    let start = UInt64(VirtualClock.startDate.timeIntervalSince1970) * 1_000_000_000
    try server.answerInProcess { [weak engine] in
      guard let engine else { return start }
      return start + UInt64(max(0, (engine.now - engine.startInstant) / .nanoseconds(1)))
    }
    // One byte more, by which the server sees that there is more.
    let transport = InProcessTransport(
      engine: engine, keptBody: PracticeServer.keptBodySize + 1
    ) { [server] in server.answer(to: $0) }
    let pacer = RequestPacer()
    pacer.attemptHandler = networkPacer.attemptHandler
    local.withLock { $0 = (transport, pacer) }
  }

  /// Returns to requests over the network.
  func leaveInProcessServer() {
    server.endInProcess()
    local.withLock { $0 = nil }
  }

  /// Returns the cookies of a file as it is now: the same object for all that use the file.
  ///
  /// - Parameter path: The path of the file, which is created if it does not exist.
  /// - Returns: The cookies.
  /// - Throws: `FileError`, or `CookieFileError` if it is not a file of cookies.
  package func cookieJar(at path: String) throws -> CookieJar {
    let key = CookieJar.resolved(path)
    if let jar = jars.withLock({ $0[key] }) {
      try jar.reload()
      return jar
    }
    let jar = try CookieJar(path: key)
    return jars.withLock { jars in
      if let other = jars[key] { return other }
      jars[key] = jar
      return jar
    }
  }

  /// Notes a file that a warning is about; returns whether it is the first time.
  package func noteFile(_ path: String) -> Bool { notedFiles.withLock { $0.insert(path).inserted } }

  /// The selected services.
  package var services: Services { selected.withLock { $0 } }

  /// Selects the service for one API, or for all of them; the latter removes the single ones.
  package func select(_ service: Service, for api: API? = nil) {
    selected.withLock { services in
      guard let api else {
        services.common = service
        services.own = [:]
        return
      }
      services.own[api] = service
    }
  }

  /// Makes an API use the common service again.
  package func unselect(_ api: API) {
    selected.withLock { $0.own[api] = nil }
  }

  /// Returns the address of the service and its key.
  ///
  /// Starts the practice server if it is selected and not running.
  ///
  /// - Parameter api: The API of the request; nil for an address that belongs to no API.
  /// - Returns: The service's address and the key for it.
  /// - Throws: `PracticeServerError` if the server can't start, `UnplacedError` if it stops.
  package func endpoint(for api: API? = nil) throws -> Endpoint {
    let service = services[api]
    if isLocal, service.selection != .practice { throw Self.notVirtual(service.selection) }
    switch service.selection {
    case .live: return .live(key: service.key)
    case .url(var endpoint):
      endpoint.key = service.key
      return endpoint
    case .practice:
      if !server.isRunning { try server.start() }
      guard let url = server.baseURL, let endpoint = try? Endpoint(url: url, key: service.key)
      else {
        throw UnplacedError(.notRunning, "the practice server stopped while it was being used")
      }
      return endpoint
    }
  }

  /// The error that the virtual clock does not support a service.
  package static func notVirtual(_ selection: Selection) -> UnplacedError {
    UnplacedError(
      .notVirtual,
      "the virtual clock can't control '\(selection.text)': only the practice server "
        + "answers under 'set clock virtual'")
  }

  /// How long a transfer may delay the end; a transfer whose receiver blocks is abandoned.
  private static let patience = Duration.milliseconds(500)

  /// Ends all transfers, the transport's thread, and the server with its connections.
  ///
  /// Called before the process or a test ends.
  package func shutDown() {
    // Clients first, so that none of them sees its connection break.
    network.shutdown(within: Self.patience)
    madeServer.withLock { $0 }?.stop()
  }
}

extension ErrorPage {
  package static let notRunning = ErrorPage(
    "not-running", "The practice server does not run", "'server start' starts it.",
    help: "'server start' starts it", wrong: "(a command for a server that does not run)",
    right: "server start")
}
