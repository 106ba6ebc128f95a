import OpshLocking
public import Operations

/// Lets equal requests that are in flight at the same time share one transfer.
///
/// A GET or HEAD request that is to be coalesced joins an equal one instead of being sent: one with
/// the same method, address, headers, body and limits. Each of the operations receives and decodes
/// the response, keeps its slot, and has its own time limit. A failure of the transfer is that of all;
/// each is retried by its own policy, and may join again. If the operation that sent the request is
/// cancelled, the next one takes the transfer over; when all are cancelled, it ends.
///
/// ```swift
/// let coalescer = RequestCoalescer()
/// var options = RequestOptions()
/// options.coalescer = coalescer
/// queue.coalescesRequests = true
/// let first = HTTPOperation(request: request, transport: transport, options: options)
/// let second = HTTPOperation(request: request, transport: transport, options: options)
/// try queue.addOperations([first, second], waitUntilFinished: false)
/// ```
///
/// Its requests are those of one transport. One without coalescing is sent in any case, but can be
/// joined until its response begins.
public final class RequestCoalescer: Sendable {
  private struct Key: Hashable {
    var method: String
    var url: String

    init(_ request: HTTPRequest) { (method, url) = (request.method, request.url) }
  }

  private struct State {
    var transfers: [Key: [SharedTransfer]] = [:]
    var repetition: Repetition?
  }

  /// Two equal requests, of which the second was sent while the first was in flight.
  public struct Repetition: Sendable {
    /// The operation that sent the first one.
    public let first: OperationIdentity
    /// The operation that sent it again.
    public let second: OperationIdentity
  }

  private let state = Locked(State())

  /// Creates a coalescer without requests.
  public init() {}

  /// The first two equal requests that were in flight at the same time without being coalesced.
  public var repetition: Repetition? { state.withLock { $0.repetition } }

  /// Whether requests of a method can share a transfer.
  static func accepts(_ request: HTTPRequest) -> Bool {
    request.method == "GET" || request.method == "HEAD"
  }

  /// Finds the transfer of a request, in flight or new.
  ///
  /// - Parameters:
  ///   - member: What receives the response.
  ///   - request: The request, as it would be sent.
  ///   - joins: Whether it joins an equal request.
  /// - Returns: The place of the member in the transfer.
  func place(
    _ member: SharedTransfer.Member, of request: HTTPRequest, joins: Bool
  ) -> SharedTransfer.Place {
    state.withLock { state in
      let key = Key(request)
      for transfer in state.transfers[key] ?? [] where transfer.request == request {
        if joins, let place = transfer.join(member) { return place }
        if !joins, state.repetition == nil, let first = transfer.leader {
          state.repetition = Repetition(first: first, second: member.operation)
        }
      }
      let transfer = SharedTransfer(request, leader: member, keepsBody: joins, coalescer: self)
      state.transfers[key, default: []].append(transfer)
      return SharedTransfer.Place(transfer: transfer, number: 0, leader: nil)
    }
  }

  /// Forgets a transfer, which takes no further members.
  func remove(_ transfer: SharedTransfer) {
    state.withLock { state in
      let key = Key(transfer.request)
      state.transfers[key]?.removeAll { $0 === transfer }
      if state.transfers[key]?.isEmpty == true { state.transfers[key] = nil }
    }
  }
}
