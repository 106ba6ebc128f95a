/// The order in which a script makes names and may wait for their operations.
///
/// It finds names that are used again without a wait in between.
struct NameEvents {
  /// An event that decides whether a name is free.
  enum Event {
    /// The declaration at this index makes its names.
    case make(Int)
    /// A statement may wait for operations, so that their names are free after it.
    case wait
    /// The session begins anew, or goes back: any name is free.
    case succession
    /// A body runs; the spot is that of the call, if it certainly runs there.
    case call(Body, Spot?)
    /// A loop runs its block more than once.
    case loop([Event])
  }

  /// What runs again as a whole.
  enum Body: Hashable {
    /// The body of a definition.
    case definition(String)
    /// An included script.
    case script(String)
  }

  /// The events of what is being checked, the innermost block last.
  private var open: [[Event]] = [[]]
  /// The events of each body; nil where it is not certain which body it is.
  private var bodies: [Body: [Event]?] = [:]

  mutating func note(_ event: Event) { open[open.count - 1].append(event) }

  /// Begins a loop or a body.
  mutating func begin() { open.append([]) }

  mutating func endLoop() { note(.loop(open.removeLast())) }

  /// Ends a body; `isInline` says that it has also run where it is.
  mutating func end(_ body: Body, isInline: Bool) {
    let events = open.removeLast()
    bodies[body] = .some(bodies[body] == nil ? events : nil)
    if isInline { open[open.count - 1] += events }
  }

  /// A name that is given a second time.
  struct Reuse {
    let name: String
    let first: Spot
    let second: Spot
    /// Whether running can only refuse it; otherwise it does where the first has not finished.
    let isCertain: Bool
  }

  /// Returns the names that are given a second time, unless a statement between may wait for the
  /// first.
  func reused(_ declarations: [SymbolTable.Declaration], freesNames: Bool) -> [Reuse] {
    var run = Run(bodies: bodies, declarations: declarations, freesNames: freesNames)
    run.run(open[0], calledAt: nil, isRepeated: false, depth: 0)
    return run.found
  }

  /// A run through the events.
  private struct Run {
    /// The last declaration of a name, with what was before it.
    struct Last {
      let spot: Spot
      let call: Spot?
      let isLasting: Bool
      let waits: Int
    }

    /// More calls are not followed: what they do counts as a wait.
    static let maximumDepth = 20
    static let maximumSteps = 200_000

    let bodies: [Body: [Event]?]
    let declarations: [SymbolTable.Declaration]
    let freesNames: Bool
    var found: [Reuse] = []
    var known: [String: [String: Last]] = [:]
    var waits = 0
    var steps = 0
    var waiting: [Body: Bool] = [:]

    mutating func mayWait(_ events: [Event], depth: Int = 0) -> Bool {
      for event in events {
        switch event {
        case .make: continue
        case .wait, .succession: return true
        case .loop(let inner): if mayWait(inner, depth: depth) { return true }
        case .call(let body, _): if mayWait(body, depth: depth) { return true }
        }
      }
      return false
    }

    mutating func mayWait(_ body: Body, depth: Int = 0) -> Bool {
      if let known = waiting[body] { return known }
      guard depth < Self.maximumDepth, case let events?? = bodies[body] else { return true }
      let waits = mayWait(events, depth: depth + 1)
      waiting[body] = waits
      return waits
    }

    mutating func run(_ events: [Event], calledAt call: Spot?, isRepeated: Bool, depth: Int) {
      for event in events {
        steps += 1
        switch event {
        case .wait: waits += 1
        case .succession:
          waits += 1
          known = [:]
        case .make(let index): meet(declarations[index], calledAt: call, isRepeated: isRepeated)
        case .loop(let inner):
          run(inner, calledAt: call, isRepeated: isRepeated || !mayWait(inner), depth: depth)
        case .call(let body, let spot):
          if let spot, depth < Self.maximumDepth, steps < Self.maximumSteps,
            case let events?? = bodies[body]
          {
            run(events, calledAt: call ?? spot, isRepeated: isRepeated, depth: depth + 1)
          } else if mayWait(body) {
            waits += 1
          }
        }
      }
    }

    mutating func meet(
      _ declaration: SymbolTable.Declaration, calledAt call: Spot?, isRepeated: Bool
    ) {
      guard let own = declaration.spot, case .exact(let name) = declaration.name else { return }
      // What keeps its name is refused for certain, and a call may be there to see that.
      if call != nil, declaration.isLasting { return }
      let last = Last(spot: own, call: call, isLasting: declaration.isLasting, waits: waits)
      let before = known[declaration.namespace, default: [:]].updateValue(last, forKey: name)
      var (first, second) = (before?.spot ?? own, own)
      // Of two calls the calls are shown, of two statements in one body these.
      if let before, !(before.call.map { call?.isSame(as: $0) == true } ?? (call == nil)) {
        (first, second) = (before.call ?? first, call ?? second)
      }
      // A group is an operation and a queue, and counts once.
      if let told = found.last?.second, told.isSame(as: second) { return }
      if let before {
        guard before.isLasting ? !freesNames : before.waits == waits else { return }
        found.append(
          Reuse(name: name, first: first, second: second, isCertain: before.isLasting))
      } else if declaration.isLasting ? declaration.place.isInLoop && !freesNames : isRepeated {
        let spot = call ?? own
        found.append(
          Reuse(name: name, first: spot, second: spot, isCertain: declaration.isLasting))
      }
    }
  }
}
