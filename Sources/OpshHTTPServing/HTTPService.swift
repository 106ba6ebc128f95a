/// What a server answers.
///
/// The server calls all of it on its own thread, one call at a time, so that nothing in a service
/// needs a lock.
package protocol HTTPService: AnyObject {
  /// When `attend` is to be called, if nothing happens before; nil for never.
  var nextAttention: UInt64? { get }

  /// Does what is due: called after each event of the network, after a `wake()`, and when it is time.
  func attend(now: UInt64)

  /// A client has connected.
  func opened(_ connection: HTTPConnection)

  /// The answer to a request that must not be looked at any further; nil for other requests.
  func refusal(of head: RequestHead, on connection: HTTPConnection) -> RequestHead.Refusal?

  /// Answers a request whose head is refused, before its body has come; returns whether the
  /// connection stays open for the answer.
  func refuse(_ connection: HTTPConnection, with refusal: RequestHead.Refusal) -> Bool

  /// Goes on with a request that has arrived completely.
  ///
  /// It is called when the request is complete, and again after each suspension.
  ///
  /// - Returns: Whether the connection stays open; false closes it without another byte.
  func proceed(with connection: HTTPConnection) -> Bool

  /// A request is over, answered or not.
  func ended(on connection: HTTPConnection)

  /// A connection is closed.
  func closed(_ connection: HTTPConnection)
}

extension HTTPService {
  package var nextAttention: UInt64? { nil }
  package func attend(now: UInt64) {}
  package func closed(_ connection: HTTPConnection) {}
}
