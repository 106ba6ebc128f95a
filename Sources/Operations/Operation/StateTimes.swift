/// When an operation entered each state and was cancelled, in nanoseconds of the engine's clock; 0 for never.
struct StateTimes {
  var created: Int64
  var pending: Int64 = 0
  var ready: Int64 = 0
  var executing: Int64 = 0
  var finished: Int64 = 0
  var cancelled: Int64 = 0

  mutating func enter(_ state: OperationState, at time: Int64) {
    switch state {
    case .created: created = time
    // One that is pending again waits since it was added.
    case .pending: (pending, ready) = (pending == 0 ? time : pending, 0)
    // One that is started directly, without a queue, has waited no time.
    case .ready: (pending, ready) = (pending == 0 ? time : pending, time)
    case .executing: executing = time
    case .finished: finished = time
    }
  }
}
