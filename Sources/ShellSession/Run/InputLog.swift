import OpshLocking
package import ShellLanguage
import Synchronization

/// What came into a session from outside, in its order, so that another session can take it again.
///
/// On the virtual clock nothing else decides what happens. A statement is an input at its place in the
/// order. What comes while a statement runs, as Ctrl-C and the commands of a page do, is one at a
/// position: a count of the statements that have begun and of the steps of the clock.
package final class InputLog: Sendable {
  package enum Input: Sendable {
    /// The startup file, which is read again.
    case startup
    /// A statement at the top level of a typed line or a program.
    case statement(Script, Int)
    /// The first steps of a `next`.
    case steps(Int, of: Script, Int)
    /// The command of a page or of `watch`.
    case command(String, source: String)
    case interruption
  }

  /// What there was before an input, or after a step.
  package struct Mark: Sendable {
    /// How many lines had been typed.
    package let typedCount: Int
    /// How often files had been used.
    let fileUses: Int
    /// How many statements had begun, and how many steps the clock had taken.
    let position: Int
  }

  package struct Entry: Sendable {
    package let input: Input
    package let before: Mark
    /// What there was after each step of a `next`.
    package fileprivate(set) var steps: [Mark] = []
    /// How many statements of its script a `source --step` has run; nil for all.
    package fileprivate(set) var statementCount: Int?
    /// Whether it came while a statement ran.
    package let isInside: Bool

    /// Whether its end is no place to go back to.
    fileprivate var isNoStop: Bool {
      if case .startup = input { true } else { isInside }
    }
  }

  /// A place that `back` can return to: the end of a statement, or a step after it.
  package struct Stop: Sendable {
    /// How many inputs are taken again whole.
    package let entryCount: Int
    /// How many steps of the next input, a `next`, are taken again.
    package let stepCount: Int
    package let mark: Mark
  }

  private struct State {
    var entries: [Entry] = []
    /// Why the inputs can't be taken again; nil if they can.
    var obstacle: String?
    /// The statement at the top level that runs.
    var running: (script: Script, index: Int)?
    /// What came while statements ran, and is still to come again.
    var coming: ArraySlice<Entry> = []
    var isRetaking = false
    /// How many statements the `source --step` ran that is being taken again.
    var comingStatementCount: Int?
    /// What programs gave, in order.
    var programs: [Result<Value, any Error>] = []
    /// What programs are still to give again.
    var comingPrograms: ArraySlice<Result<Value, any Error>> = []
    /// Whether the session has gone back, so that not all statements of a script are in it.
    var hasGoneBack = false
    /// Whether Ctrl-C was pressed while inputs were taken again.
    var wasBroken = false
  }

  private let state = Locked(State())
  private let moves = Atomic(0)

  /// How many statements have begun, and how many steps the clock has taken.
  var position: Int { moves.load(ordering: .relaxed) }

  /// Counts a statement or a step of the clock: of the virtual one only one thread runs at a time, and
  /// on the system's the number has no meaning.
  func noteMove() { moves.store(position &+ 1, ordering: .relaxed) }

  // MARK: What has come

  /// The inputs so far.
  package var entries: [Entry] { state.withLock { $0.entries } }

  /// Notes that something happened that can't be taken again; the first reason stays.
  func setObstacle(_ text: String) {
    state.withLock { state in
      state.obstacle = state.obstacle ?? text
      state.entries = []
    }
  }

  /// Why the inputs can't be taken again; nil if they can.
  package var obstacle: String? { state.withLock { $0.obstacle } }

  /// Adds an input.
  ///
  /// - Parameters:
  ///   - input: The input.
  ///   - mark: What there is before it.
  func add(_ input: Input, at mark: Mark) {
    state.withLock { state in
      guard state.obstacle == nil else { return }
      var isInside = false
      if case .command = input { isInside = state.running != nil }
      if case .interruption = input {
        guard state.running != nil else { return }
        isInside = true
      }
      state.entries.append(Entry(input: input, before: mark, isInside: isInside))
    }
  }

  /// Sets the statement of the top level that runs now; nil after it.
  func setRunning(_ statement: (script: Script, index: Int)?) {
    state.withLock { $0.running = statement }
  }

  /// Whether a place is that of the statement at the top level that runs now, and not inside of it.
  package func isRunning(_ source: SourceText, _ range: SourceRange) -> Bool {
    guard let (script, index) = state.withLock({ $0.running }) else { return false }
    return script.source.isSame(as: source) && script.statements[index].range == range
  }

  /// Notes that the `next` that runs has taken a step.
  func noteStep(_ mark: Mark) {
    state.withLock { state in
      guard let index = state.entries.lastIndex(where: { !$0.isInside }) else { return }
      state.entries[index].steps.append(mark)
    }
  }

  /// Removes the last input, which has had no effect.
  package func removeLast() {
    state.withLock { state in
      if let index = state.entries.lastIndex(where: { !$0.isInside }) {
        state.entries.removeSubrange(index...)
      }
    }
  }

  /// Notes that the `source --step` that runs has run only some statements of its script.
  package func setStatementCount(_ count: Int) {
    state.withLock { state in
      guard let index = state.entries.lastIndex(where: { !$0.isInside }) else { return }
      state.entries[index].statementCount = count
    }
  }

  /// How many statements the `source --step` ran that is being taken again; nil for all.
  package var comingStatementCount: Int? { state.withLock { $0.comingStatementCount } }

  /// Sets how many statements the next `source --step` runs again.
  package func setComingStatementCount(_ count: Int?) {
    state.withLock { $0.comingStatementCount = count }
  }

  /// The indices of the statements of a script that are in the session; nil if it never went back.
  package func statements(of source: SourceText) -> Set<Int>? {
    guard state.withLock({ $0.hasGoneBack }) else { return nil }
    return Set(
      entries.compactMap { entry in
        entry.input.place.flatMap { $0.script.source.isSame(as: source) ? $0.index : nil }
      })
  }

  // MARK: Going back

  /// The places to go back to: the first is the beginning, the last is where the session was before the
  /// statement that runs now.
  package var stops: [Stop] {
    var stops: [Stop] = []
    for (index, entry) in entries.enumerated() where !entry.isNoStop {
      // The end of what was before it.
      stops.append(Stop(entryCount: index, stepCount: 0, mark: entry.before))
      for (count, mark) in entry.steps.dropLast().enumerated() {
        stops.append(Stop(entryCount: index, stepCount: count + 1, mark: mark))
      }
    }
    return stops
  }

  /// The text of the statement, and the number of its steps, after which a stop is; nil for the
  /// beginning.
  package static func text(of stop: Stop, in entries: [Entry]) -> String? {
    if stop.stepCount > 0 { return part(of: entries[stop.entryCount].input, steps: stop.stepCount) }
    return entries.prefix(stop.entryCount).last { !$0.isNoStop }.flatMap {
      part(of: $0.input, steps: nil)
    }
  }

  private static func part(of input: Input, steps: Int?) -> String? {
    switch input {
    case .steps(let count, _, _): "next \(steps ?? count)"
    case .statement(let script, let index):
      steps.map { "next \($0)" } ?? script.source.text(in: script.statements[index].range)
    case .command(let text, _): text
    case .startup, .interruption: nil
    }
  }

  /// Returns the beginning of a typed line up to a stop inside of it; nil at the end of a line.
  package static func part(of stop: Stop, in entries: [Entry]) -> String? {
    guard stop.entryCount < entries.count, let next = entries[stop.entryCount].input.place else {
      return nil
    }
    let range = next.script.statements[next.index].range
    let steps = part(of: entries[stop.entryCount].input, steps: stop.stepCount) ?? ""
    // What was typed before it in the same line.
    let start = next.script.source.text(in: SourceRange(0, range.lower))
    if stop.stepCount > 0 { return start + steps }
    return next.index > 0 ? start.withoutSeparator : nil
  }

  // MARK: Taking inputs again

  /// Whether inputs of another session are being taken again.
  package var isRetaking: Bool { state.withLock { $0.isRetaking } }

  /// Runs a program, or gives again what it gave then.
  package func program(_ run: () throws -> Value) throws -> Value {
    let known = state.withLock { $0.comingPrograms.popFirst() }
    let result = known ?? Result { try run() }
    state.withLock { if $0.obstacle == nil { $0.programs.append(result) } }
    return try result.get()
  }

  /// Begins to take inputs of a log again: those that came while a statement ran come at their
  /// positions.
  package func beginRetaking(_ other: InputLog, _ entries: [Entry]) {
    let programs = other.state.withLock { $0.programs }
    state.withLock { state in
      state.comingPrograms = programs[...]
      (state.isRetaking, state.hasGoneBack) = (true, true)
      state.coming = entries.filter(\.isInside)[...]
    }
  }

  /// Whether Ctrl-C was pressed while inputs were taken again.
  package var wasBroken: Bool { state.withLock { $0.wasBroken } }

  /// Notes that Ctrl-C was pressed while inputs were taken again.
  func breakOff() { state.withLock { $0.wasBroken = true } }

  package func endRetaking() {
    state.withLock { state in
      state.isRetaking = false
      (state.coming, state.comingPrograms) = ([], [])
    }
  }

  /// Goes on after the inputs of a session that this one has taken the place of.
  func goOn(after other: InputLog) {
    let (earlier, obstacle) = other.state.withLock { ($0.entries, $0.obstacle) }
    state.withLock { state in
      (state.entries, state.obstacle) = (earlier, obstacle)
      state.hasGoneBack = other.state.withLock { $0.hasGoneBack }
      (state.coming, state.isRetaking) = other.state.withLock { ($0.coming, $0.isRetaking) }
      (state.programs, state.comingPrograms, state.comingStatementCount) = other.state.withLock {
        ($0.programs, $0.comingPrograms, $0.comingStatementCount)
      }
    }
    moves.store(other.position, ordering: .relaxed)
  }

  /// Whether an input is due that came while a statement ran.
  var isDue: Bool {
    state.withLock { $0.coming.first.map { $0.before.position <= position } ?? false }
  }

  /// Removes and returns the input that is due, of those that came while a statement ran.
  func takeDue(_ isWanted: (Input) -> Bool) -> Input? {
    state.withLock { state in
      guard let first = state.coming.first, first.before.position <= position, isWanted(first.input)
      else { return nil }
      return state.coming.removeFirst().input
    }
  }
}

extension InputLog.Input {
  /// The statement that it is; nil for what is no statement.
  fileprivate var place: (script: Script, index: Int)? {
    switch self {
    case .statement(let script, let index), .steps(_, of: let script, let index): (script, index)
    case .startup, .command, .interruption: nil
    }
  }
}

extension String {
  /// The text without the semicolon and the blanks at its end.
  fileprivate var withoutSeparator: String {
    var text = self[...]
    while let last = text.last, last == ";" || last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
