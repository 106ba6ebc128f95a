public import Operations
public import OpshSupport

/// Carries requests to services in this process, without sockets, by the clock of an engine.
///
/// On an engine's virtual clock, an exchange takes exactly the time that its service sets, and its
/// delegate is called in the same order in every run.
///
/// ```swift
/// let transport = InProcessTransport(engine: engine) { service.exchange(for: $0) }
/// ```
public final class InProcessTransport: Transport {
  private let engine: OperationEngine
  private let keptBody: Int
  private let service: @Sendable (InProcessRequest) -> InProcessAnswer?

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - engine: The engine whose clock sets the times.
  ///   - keptBody: How many bytes of a request's body the service gets; what follows is dropped, so
  ///     that a large file needs no memory.
  ///   - service: Receives each request; nil means that no service answers it.
  public init(
    engine: OperationEngine, keptBody: Int = .max,
    service: @escaping @Sendable (InProcessRequest) -> InProcessAnswer?
  ) {
    self.engine = engine
    self.keptBody = keptBody
    self.service = service
  }

  /// Starts a request and returns at once.
  ///
  /// - Parameters:
  ///   - request: What to send.
  ///   - delegate: Receives the events of the transfer, as the clock of the engine reaches them.
  /// - Returns: The running request.
  public func start(
    _ request: HTTPRequest, delegate: any TransportDelegate
  ) -> any TransportTask {
    let transfer = InProcessTransfer(
      request: request, delegate: delegate, engine: engine, keptBody: keptBody, service: service)
    transfer.start()
    return transfer
  }
}

/// A request as a service in this process sees it.
public struct InProcessRequest: Sendable {
  /// The method, such as `GET`.
  public let method: String
  /// The scheme, the host and the port, as in `http://127.0.0.1:8080`.
  public let origin: String
  /// The path and the query.
  public let target: String
  /// The header fields, with the host's.
  public let headers: [(name: String, value: String)]
  /// What is sent with it, or its beginning: no more than the transport keeps.
  public let body: [UInt8]
  /// Which certificates the client trusts.
  public let tls: TLSOptions

  init(_ request: HTTPRequest, keptBody: Int) throws(NetworkError) {
    let address = request.address
    method = request.method
    origin = address.origin
    target = address.path + (address.query.map { "?" + $0 } ?? "")
    let port = address.port.map { ":\($0)" } ?? ""
    headers = [("Host", address.host + port)] + request.headers.fields.map { ($0.name, $0.value) }
    tls = request.transfer.tls
    body = try Self.beginning(of: request.body, upTo: keptBody)
  }

  /// Reads a body to its end, so that a file that has changed is an error here too.
  private static func beginning(
    of body: RequestBody?, upTo limit: Int
  ) throws(NetworkError) -> [UInt8] {
    guard let body else { return [] }
    if let bytes = body.heldBytes {
      return bytes.count <= limit ? bytes : Array(bytes.prefix(limit))
    }
    let reader = RequestBodyReader(body)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
    defer { buffer.deallocate() }
    var bytes: [UInt8] = []
    while true {
      let count = try reader.read(into: buffer)
      guard count > 0 else { return bytes }
      bytes += UnsafeRawBufferPointer(rebasing: buffer[..<min(count, limit - bytes.count)])
    }
  }
}

/// The end of an exchange with a service in this process.
public struct InProcessEnd: Sendable {
  /// How many bytes of the body came.
  public let bytes: Int
  /// Whether the client ended it before the response was complete.
  public let isCut: Bool
}

/// The answer of a service in this process to a request.
public struct InProcessAnswer: Sendable {
  let steps: [ExchangeStep]
  let end: @Sendable (InProcessEnd) -> Void
  /// The error that ends the exchange after the steps; nil for a response.
  private(set) var failure: NetworkError?

  /// Creates an answer.
  ///
  /// - Parameters:
  ///   - steps: What comes, in order.
  ///   - end: Called once at the end, whatever the cause.
  public init(steps: [ExchangeStep], end: @escaping @Sendable (InProcessEnd) -> Void) {
    self.steps = steps
    self.end = end
  }

  /// Creates an answer that fails before a byte has come, as a connection does that is not set up.
  public init(failing failure: NetworkError, after time: Duration) {
    self.init(steps: [.wait(time)]) { _ in }
    self.failure = failure
  }
}
