extension PracticeServer {
  /// What the server has done since it was made or reset.
  public struct Statistics: Sendable, Equatable {
    /// How many complete requests have arrived.
    public internal(set) var requests: Int = 0
    /// How many of them were answered with something else than what the service would say.
    public internal(set) var failuresInjected: Int = 0
    /// How many lost their connection on purpose, before the answer or inside it.
    public internal(set) var dropsInjected: Int = 0
    /// How many bytes of bodies were handed to the network.
    public internal(set) var bytesSent: Int = 0
    /// How many connections were accepted.
    public internal(set) var connections: Int = 0
    /// How many requests each route had, by its pattern such as `questions/{ids}`.
    public internal(set) var routes: [String: Int] = [:]

    /// How often each fault struck, by its name.
    public internal(set) var faults: [String: Int] = [:]
    /// How many requests wait for their answer at this moment, because it is held back.
    public internal(set) var waiting: Int = 0

    /// Creates statistics in which nothing has happened.
    public init() {}
  }
}
