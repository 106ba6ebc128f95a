import OpshLocking
import Operations

/// One transfer whose events go to all operations that have joined it.
///
/// Each member gets the events in order, one at a time: on the thread of the transport, or, of what
/// came before it joined, on a callback thread. The lock is never held during a call.
final class SharedTransfer: TransportDelegate {
  /// An operation that needs the response.
  struct Member: Sendable {
    let operation: OperationIdentity
    let engine: OperationEngine
    let delegate: any TransportDelegate
    /// Called when it is the first member from now on, with the former one and the bytes received by
    /// then.
    let tookOver: @Sendable (_ former: OperationIdentity, _ received: Int) -> Void
  }

  /// The place of a member.
  struct Place {
    let transfer: SharedTransfer
    let number: Int
    /// The operation whose request it joined; nil for the one that sends it.
    let leader: OperationIdentity?
  }

  enum Event {
    case head(HTTPResponseHead)
    case chunk([UInt8])
    case exchange(HTTPExchange)
    case end(Result<TransferSummary, NetworkError>)
  }

  /// A member, and how far it is.
  struct Seat {
    let number: Int
    let member: Member
    /// The number of the next event for it.
    var next = 0
    /// Whether it waits for its release, so that nothing comes before it knows that it has joined.
    var isHeld: Bool
    var isPaused = false
    /// Whether it was resumed during the call that returns `pause`.
    var mustResume = false
    /// Whether a thread calls its delegate.
    var isServed = false
    var takeover: (former: OperationIdentity, received: Int)?
    /// Whether it wants no more of the body.
    var hasStopped = false
    /// Its own end, which comes before that of the transfer.
    var end: Result<TransferSummary, NetworkError>?
  }

  struct State {
    /// The first is the one that sends the request.
    var seats: [Seat] = []
    var nextNumber = 1
    var events: [Event] = []
    /// How many events before these were dropped, since all members had them.
    var dropped = 0
    /// Whether events are kept for those who join later.
    var keepsBody: Bool
    var received = 0
    var task: (any TransportTask)?
    var mustCancel = false
    var isPaused = false
    /// Whether it takes no further members.
    var isClosed = false
    var isOver = false
  }

  /// How much of a body is kept for those who join; of a longer one nothing.
  private static let longestKeptBody = 16 << 20

  let request: HTTPRequest
  private let started: ContinuousClock.Instant
  private let state: Locked<State>
  private let coalescer: RequestCoalescer

  init(_ request: HTTPRequest, leader: Member, keepsBody: Bool, coalescer: RequestCoalescer) {
    (self.request, self.coalescer, started) = (request, coalescer, leader.engine.now)
    state = Locked(
      State(seats: [Seat(number: 0, member: leader, isHeld: false)], keepsBody: keepsBody))
  }

  /// The operation that sends the request; nil after the end.
  var leader: OperationIdentity? { state.withLock { $0.seats.first?.member.operation } }

  /// Adds a member, which gets nothing before it is released; returns nil if it is too late.
  func join(_ member: Member) -> Place? {
    state.withLock { state in
      guard !state.isClosed, state.dropped == 0, let leader = state.seats.first else { return nil }
      state.keepsBody = true
      let number = state.nextNumber
      state.nextNumber += 1
      state.seats.append(Seat(number: number, member: member, isHeld: true))
      return Place(transfer: self, number: number, leader: leader.member.operation)
    }
  }

  /// Sends the request.
  func begin(_ transport: any Transport) -> any TransportTask {
    let task = transport.start(request, delegate: self)
    let (isCut, resumed) = state.withLock { state in
      if !state.isOver { state.task = task }
      // A member may have asked for the rest before there was a task.
      let isWanted = state.seats.contains { $0.end == nil && !$0.isPaused && !$0.isHeld }
      return (state.mustCancel, isWanted ? state.takePause() : nil)
    }
    if isCut { task.cancel() }
    resumed?.resume()
    return SharedTransferTask(transfer: self, number: 0)
  }

  /// Lets a member that has joined have what has come by now, and what comes.
  func release(_ number: Int) -> any TransportTask {
    let resumed = state.withLock { state -> (any TransportTask)? in
      state.change(number) { $0.isHeld = false }
      return state.takePause()
    }
    resumed?.resume()
    serveLater(number)
    return SharedTransferTask(transfer: self, number: number)
  }

  // MARK: Members

  /// Ends the membership of one that is cancelled; without another one, the transfer.
  func cancel(_ number: Int) {
    enum Action {
      case none
      case cut((any TransportTask)?)
      case leave(leader: Int?)
    }
    let action = state.withLock { state -> Action in
      guard let seat = state.seat(number), seat.end == nil else { return .none }
      if state.isLast(number), !state.isOver {
        (state.isClosed, state.mustCancel) = (true, true)
        // Its end comes, too, while it is paused.
        state.change(number) { $0.isPaused = false }
        return .cut(state.task)
      }
      return .leave(leader: state.leave(number, .failure(.cancelled)))
    }
    switch action {
    case .none: break
    case .cut(let task):
      coalescer.remove(self)
      task?.cancel()
    case .leave(let leader):
      serveLater(number)
      if let leader { serveLater(leader) }
    }
  }

  func resume(_ number: Int) {
    let task = state.withLock { state -> (any TransportTask)? in
      state.change(number) { seat in
        if seat.isServed { seat.mustResume = true }
        seat.isPaused = false
      }
      return state.takePause()
    }
    task?.resume()
    serveLater(number)
  }

  /// The transport's own task; nil before it has begun, and after the end.
  var task: (any TransportTask)? { state.withLock { $0.task } }

  // MARK: Events

  func didReceive(head: HTTPResponseHead) -> TransferDisposition { pass(.head(head), bytes: 0) }

  func didReceive(chunk: [UInt8]) -> TransferDisposition {
    pass(.chunk(chunk), bytes: chunk.count)
  }

  func didEnd(_ exchange: HTTPExchange) { _ = pass(.exchange(exchange), bytes: 0) }

  func didComplete(_ result: Result<TransferSummary, NetworkError>) {
    state.withLock { ($0.isOver, $0.isClosed, $0.task) = (true, true, nil) }
    // Before any member knows of the end, and perhaps sends the request again.
    coalescer.remove(self)
    _ = pass(.end(result), bytes: 0)
  }

  private func pass(_ event: Event, bytes: Int) -> TransferDisposition {
    let numbers = state.withLock { state -> [Int] in
      state.events.append(event)
      state.received += bytes
      if state.received > Self.longestKeptBody { state.keepsBody = false }
      return state.seats.map(\.number)
    }
    for number in numbers { serve(number) }
    return state.withLock { state in
      if state.isLastStopped { return .stop }
      guard !state.seats.isEmpty, state.seats.allSatisfy(\.isPaused), !state.isOver else {
        return .proceed
      }
      state.isPaused = true
      return .pause
    }
  }

  private func serveLater(_ number: Int) {
    guard let engine = state.withLock({ $0.seat(number)?.member.engine }) else { return }
    callbackPool.perform(for: engine) { self.serve(number) }
  }

  /// Calls a member's delegate for all that it has not had, unless another thread does.
  private func serve(_ number: Int) {
    guard state.withLock({ $0.beginService(of: number) }) else { return }
    while let (member, step) = state.withLock({ $0.nextStep(for: number) }) {
      var disposition = TransferDisposition.proceed
      switch step {
      case .takeover(let former, let received): member.tookOver(former, received)
      case .event(.head(let head)): disposition = member.delegate.didReceive(head: head)
      case .event(.chunk(let bytes)): disposition = member.delegate.didReceive(chunk: bytes)
      case .event(.exchange(let exchange)): member.delegate.didEnd(exchange)
      case .event(.end(let result)): member.delegate.didComplete(result)
      }
      if disposition != .proceed { handle(disposition, of: number, member) }
    }
  }

  private func handle(_ disposition: TransferDisposition, of number: Int, _ member: Member) {
    let time = member.engine.now - started
    let leader = state.withLock { state -> Int? in
      guard disposition == .stop else {
        // It may have been resumed, or cancelled, during the call.
        let mustGoOn = state.mustCancel
        state.change(number) { $0.isPaused = !$0.mustResume && !mustGoOn }
        return nil
      }
      state.change(number) { $0.hasStopped = true }
      guard !state.isLast(number) else {
        state.isClosed = true
        return nil
      }
      let summary = TransferSummary(
        timings: TransferTimings(total: time),
        bytesReceived: state.received, wasStopped: true)
      return state.leave(number, .success(summary))
    }
    if let leader { serveLater(leader) }
  }
}

extension SharedTransfer.State {
  enum Step {
    case takeover(former: OperationIdentity, received: Int)
    case event(SharedTransfer.Event)
  }

  private func index(of number: Int) -> Int? { seats.firstIndex { $0.number == number } }

  func seat(_ number: Int) -> SharedTransfer.Seat? { index(of: number).map { seats[$0] } }

  mutating func change(_ number: Int, _ change: (inout SharedTransfer.Seat) -> Void) {
    if let index = index(of: number) { change(&seats[index]) }
  }

  /// Whether a member is the only one that does not leave.
  func isLast(_ number: Int) -> Bool { seats.allSatisfy { $0.number == number || $0.end != nil } }

  /// Whether all that stay want no more of the body.
  var isLastStopped: Bool {
    let staying = seats.filter { $0.end == nil }
    return !staying.isEmpty && staying.allSatisfy(\.hasStopped)
  }

  /// Returns the task to resume if the transfer is paused, and notes that it is resumed; a transfer
  /// without a task stays paused until it has one.
  mutating func takePause() -> (any TransportTask)? {
    guard isPaused, let task else { return nil }
    isPaused = false
    return task
  }

  /// Gives a member an end of its own; returns the number of the next leader, if that was the leader.
  mutating func leave(_ number: Int, _ end: Result<TransferSummary, NetworkError>) -> Int? {
    let former = seats.first { $0.end == nil }
    change(number) { seat in
      seat.end = end
      (seat.isHeld, seat.isPaused) = (false, false)
    }
    guard let former, former.number == number, !isOver,
      let next = seats.firstIndex(where: { $0.end == nil })
    else { return nil }
    seats[next].takeover = (former.member.operation, received)
    // Those that stay come first.
    seats.swapAt(0, next)
    return seats[0].number
  }

  mutating func beginService(of number: Int) -> Bool {
    guard let index = index(of: number), !seats[index].isServed else { return false }
    seats[index].isServed = true
    return true
  }

  /// Takes what comes next for a member; nil ends the service of it.
  mutating func nextStep(for number: Int) -> (SharedTransfer.Member, Step)? {
    guard let index = index(of: number) else { return nil }
    let member = seats[index].member
    if let end = seats[index].end {
      seats.remove(at: index)
      trim()
      return (member, .event(.end(end)))
    }
    guard !seats[index].isHeld else {
      seats[index].isServed = false
      return nil
    }
    if let takeover = seats[index].takeover {
      seats[index].takeover = nil
      return (member, .takeover(former: takeover.former, received: takeover.received))
    }
    let isLeader = index == 0
    while !seats[index].isPaused, seats[index].next < dropped + events.count {
      let event = events[seats[index].next - dropped]
      seats[index].next += 1
      switch event {
      case .head, .chunk:
        if seats[index].hasStopped { continue }
        seats[index].mustResume = false
      // What was sent is told of once.
      case .exchange where !isLeader: continue
      case .exchange: break
      case .end: seats.remove(at: index)
      }
      trim()
      return (member, .event(event))
    }
    seats[index].isServed = false
    trim()
    return nil
  }

  /// Drops the events that all members have had.
  private mutating func trim() {
    guard !keepsBody || isOver, !events.isEmpty else { return }
    let needed = seats.map(\.next).min() ?? dropped + events.count
    events.removeFirst(needed - dropped)
    dropped = needed
  }
}

/// The part of one member in a shared transfer.
struct SharedTransferTask: TransportTask {
  let transfer: SharedTransfer
  let number: Int

  func cancel() { transfer.cancel(number) }
  func resume() { transfer.resume(number) }
  var isWaiting: Bool { transfer.task?.isWaiting ?? false }
  var bytesSent: RequestTimeout.Sent? { transfer.task?.bytesSent }
}
