import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// What the two `observe` commands share: the options, and handling a change.
struct Observing: Sendable {
  /// What a notification carries, and when it is sent.
  enum Part: String, CaseIterable, ParameterValue {
    case initial, prior, old, new

    fileprivate var option: ObservationOptions {
      switch self {
      case .initial: .initial
      case .prior: .prior
      case .old: .old
      case .new: .new
      }
    }
  }

  static let body = Positional<Block?>("body", help: "block that runs at each change")
  static let parts = Option<[Part]>(
    "options", help: "what a notification carries and when it is sent (default old,new)")

  let options: ObservationOptions
  let keyPaths: [String]
  let number: Int
  private let body: Block?
  private let context: ExecutionContext
  private let output: Output
  private let eventHandlers: EventHandlers

  init(_ invocation: Invocation, keyPaths: [String]) {
    var options: ObservationOptions = []
    for part in invocation.call[Self.parts] { options.formUnion(part.option) }
    self.options = invocation.call.has(Self.parts) ? options : [.old, .new]
    self.keyPaths = keyPaths
    body = invocation.call[Self.body]
    context = invocation.context.forHandler("observe \(keyPaths.joined(separator: " "))")
    number = invocation.jobs.eventHandlers.nextNumber()
    output = invocation.screen.output
    eventHandlers = invocation.jobs.eventHandlers
  }

  func register(
    _ observation: Observation, operations: [ObservableOperation] = [],
    of queue: InspectableQueue? = nil, subject: String
  ) -> Value {
    let parts = Part.allCases.filter { options.contains($0.option) }
    eventHandlers.add(
      EventHandlers.Observer(
        number: number, operations: Set(operations.map(\.id)), of: queue, subject: subject,
        keyPaths: keyPaths, options: parts.map(\.rawValue).joined(separator: ","),
        hasBody: body != nil, observation: observation))
    return .integer(Int64(number))
  }

  /// Shows a change in its place among the transitions, or schedules the body.
  ///
  /// The feed calls it when it reaches the change.
  func handle(
    _ logged: LoggedChange, of keyPath: String, subject: String, field: JSONValue.Member
  ) {
    let (change, time) = (logged.values, logged.time)
    if let body {
      eventHandlers.post(
        EventHandlers.Note {
          _ = try context.run(
            body, bindings: ["change": Self.record(change, keyPath, subject)])
        })
    } else if output.isJSON {
      output.object("change", at: time, Self.fields(change, keyPath, field))
    } else {
      output.line(Self.line(change, keyPath, subject, output.clock.elapsed(time)))
    }
  }

  private static func fields(
    _ change: ObservedChange<ObservedValue>, _ keyPath: String, _ subject: JSONValue.Member
  ) -> JSONFields {
    SteeringEffect.changeFields(
      of: subject, keyPath, from: change.oldValue?.json ?? .null,
      to: change.newValue?.json ?? .null, isInitial: change.isInitial, isPrior: change.isPrior)
  }

  private static func record(
    _ change: ObservedChange<ObservedValue>, _ keyPath: String, _ subject: String
  ) -> Value {
    .record([
      .init("subject", .string(subject)), .init("keyPath", .string(keyPath)),
      .init("initial", .boolean(change.isInitial)), .init("prior", .boolean(change.isPrior)),
      .init("old", change.oldValue.map { Value(json: $0.json) } ?? .null),
      .init("new", change.newValue.map { Value(json: $0.json) } ?? .null),
    ])
  }

  private static func line(
    _ change: ObservedChange<ObservedValue>, _ keyPath: String, _ subject: String, _ time: Double
  ) -> StyledText {
    let name = StyledText(VisibleText.escape(subject), style: .bold)
    let what = StyledText("." + keyPath, style: TextStyle(color: .cyan))
    let values: String =
      switch (change.oldValue, change.newValue) {
      case (let old?, let new?): "\(old.text) → \(new.text)"
      case (let old?, nil): "\(old.text) →"
      case (nil, let new?): change.isInitial ? new.text : "→ \(new.text)"
      case (nil, nil): "changed"
      }
    let note = change.isInitial ? " (initial)" : change.isPrior ? " (prior)" : ""
    return StyledText(TransitionText.time(time), style: .dim) + "  " + name + what + "  "
      + StyledText(VisibleText.escape(values)) + StyledText(note, style: .dim)
  }
}

extension ObservedValue {
  var json: JSONValue {
    switch self {
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .number(number)
    case .real(let number): .real(number)
    case .text(let text): .string(text)
    case .names(let names): .array(names.map(JSONValue.string))
    case .none: .null
    }
  }

  var text: String {
    switch self {
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): text
    case .names(let names): "[" + names.joined(separator: ", ") + "]"
    case .none: "-"
    }
  }
}
