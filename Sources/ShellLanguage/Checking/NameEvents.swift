/// The order in which a script creates names and may wait for their operations.
///
/// It finds names that are used again without a wait in between.
struct NameEvents {
  /// An event that decides whether a name is free.
  enum Event {
    /// The declaration at this index makes its names.
    case make(Int)
    /// A statement may wait for operations, so that their names are free after it.
    case wait
    /// A body runs; the place is that of the call, if it certainly runs there.
    case call(Body, SymbolTable.Place?)
  }

  /// What runs again as a whole.
  enum Body: Hashable {
    /// The body of a definition.
    case definition(String)
    /// An included script.
    case script(String)
  }

  private(set) var events: [Event] = []
  /// Where the events of each body are; nil where it is not certain which body it is.
  private var bodies: [Body: Range<Int>?] = [:]
  /// The loops that run their block more than once.
  private var loops: [Range<Int>] = []
  /// How many events belong to the script itself: definitions are looked at after it.
  private var ownCount: Int?

  mutating func note(_ event: Event) { events.append(event) }

  /// Notes a body whose events are all that came since a place.
  mutating func endBody(_ body: Body, since start: Int) {
    bodies[body] = .some(bodies[body] == nil ? start..<events.count : nil)
  }

  /// Adds a loop whose events are all those since a place.
  mutating func endLoop(since start: Int) { loops.append(start..<events.count) }

  /// Notes that what follows are the bodies of definitions.
  mutating func endScript() { ownCount = events.count }

  /// Whether the bodies of definitions are being looked at.
  var isInDefinitions: Bool { ownCount != nil }
}

extension SymbolTable {
  /// A name that is given a second time.
  struct Reuse {
    let name: String
    let first: Place
    let second: Place
    /// Whether running can only refuse it; otherwise it does where the first has not finished.
    let isCertain: Bool
  }

  /// The names that are given a second time, unless a statement between may wait for the first.
  func reused() -> [Reuse] {
    var walk = NameEvents.Walk(
      nameEvents: nameEvents, declarations: declarations, freesNames: freesNames)
    walk.run()
    return walk.found
  }
}

extension NameEvents {
  /// A traversal of the events.
  fileprivate struct Walk {
    /// The last declaration of a name, with what was before it.
    private struct Last {
      let place: SymbolTable.Place
      let call: SymbolTable.Place?
      let isLasting: Bool
      let waits: Int
    }

    /// More calls are not followed: what they do counts as a wait.
    private static let maximumDepth = 20
    private static let maximumSteps = 200_000

    let nameEvents: NameEvents
    let declarations: [SymbolTable.Declaration]
    let freesNames: Bool
    var found: [SymbolTable.Reuse] = []
    private var known: [String: [String: Last]] = [:]
    private var waits = 0
    private var steps = 0
    private var waitingBodies: [Body: Bool] = [:]
    /// The events that run again with no wait between.
    private var repeated: Set<Int> = []

    init(nameEvents: NameEvents, declarations: [SymbolTable.Declaration], freesNames: Bool) {
      self.nameEvents = nameEvents
      self.declarations = declarations
      self.freesNames = freesNames
    }

    mutating func run() {
      for loop in nameEvents.loops where !mayWait(loop, depth: 0) { repeated.formUnion(loop) }
      walk(
        0..<(nameEvents.ownCount ?? nameEvents.events.count), calledAt: nil, isRepeated: false,
        depth: 0)
    }

    private mutating func mayWait(_ range: Range<Int>, depth: Int) -> Bool {
      for event in nameEvents.events[range] {
        switch event {
        case .make: continue
        case .wait: return true
        case .call(let body, _): if mayWait(body, depth: depth) { return true }
        }
      }
      return false
    }

    private mutating func mayWait(_ body: Body, depth: Int) -> Bool {
      if let known = waitingBodies[body] { return known }
      guard depth < Self.maximumDepth, case let range?? = nameEvents.bodies[body] else {
        return true
      }
      let waits = mayWait(range, depth: depth + 1)
      waitingBodies[body] = waits
      return waits
    }

    private mutating func walk(
      _ range: Range<Int>, calledAt call: SymbolTable.Place?, isRepeated: Bool, depth: Int
    ) {
      for index in range {
        steps += 1
        switch nameEvents.events[index] {
        case .wait: waits += 1
        case .make(let declaration):
          meet(
            declarations[declaration], calledAt: call,
            isRepeated: isRepeated || repeated.contains(index))
        case .call(let body, let place):
          guard let place, depth < Self.maximumDepth, steps < Self.maximumSteps,
            case let range?? = nameEvents.bodies[body]
          else {
            if mayWait(body, depth: 0) { waits += 1 }
            continue
          }
          walk(
            range, calledAt: call ?? place, isRepeated: isRepeated || repeated.contains(index),
            depth: depth + 1)
        }
      }
    }

    private mutating func meet(
      _ declaration: SymbolTable.Declaration, calledAt call: SymbolTable.Place?, isRepeated: Bool
    ) {
      guard let own = declaration.place, case .exact(let name) = declaration.name else { return }
      // What keeps its name is refused for certain, and a call may be there to see that.
      if call != nil, declaration.isLasting { return }
      let last = Last(place: own, call: call, isLasting: declaration.isLasting, waits: waits)
      let before = known[declaration.namespace, default: [:]].updateValue(last, forKey: name)
      var (first, second) = (before?.place ?? own, own)
      // Of two calls the calls are shown, of two statements in one body these.
      if let before, !SymbolTable.Place.areSame(before.call, call) {
        (first, second) = (before.call ?? first, call ?? second)
      }
      // A group is an operation and a queue, and counts once.
      if let told = found.last?.second, SymbolTable.Place.areSame(told, second) { return }
      if let before {
        guard before.isLasting ? !freesNames : before.waits == waits else { return }
        found.append(
          SymbolTable.Reuse(
            name: name, first: first, second: second, isCertain: before.isLasting))
      } else if declaration.isLasting ? declaration.isInLoop && !freesNames : isRepeated {
        found.append(
          SymbolTable.Reuse(
            name: name, first: call ?? own, second: call ?? own, isCertain: declaration.isLasting))
      }
    }
  }
}

extension SymbolTable.Place {
  /// Whether both are the same place in the same text, or none.
  fileprivate static func areSame(_ first: Self?, _ second: Self?) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return first.range == second.range && first.source.isSame(as: second.source)
  }
}
