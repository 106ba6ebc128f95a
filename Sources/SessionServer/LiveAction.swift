import OpshJSON

/// What a page may ask of its session: one of a fixed list, with ids and values.
///
/// It is never text of the language. The shell builds the command.
package enum LiveAction: Sendable, Equatable {
  /// The levels of priority.
  package enum Level: String, Sendable, CaseIterable {
    case veryLow, low, normal, high, veryHigh
  }

  case pause(queue: String)
  case resume(queue: String)
  /// Nil for an unlimited width.
  case width(queue: String, Int?)
  /// The time between two starts in milliseconds; 0 for none.
  case pace(queue: String, milliseconds: Int)
  case step(queue: String)
  case priority(operation: Int, Level)
  case cancel(operation: Int)
  case finish(operation: Int)
  /// Takes a step on the virtual clock.
  case next
}

/// The reason why a text is not an action.
package struct LiveActionError: Error, Sendable, Equatable {
  /// One sentence without a final full stop.
  package let message: String

  init(_ message: String) { self.message = message }
}

extension LiveAction {
  private static let longestName = 1000
  private static let greatestWidth = 1_000_000
  private static let longestPace = 86_400.0

  /// Reads an action from JSON.
  ///
  /// - Parameter body: The whole text: an object with exactly the members of its action.
  /// - Throws: What is wrong.
  package init(parsing body: [UInt8]) throws(LiveActionError) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: body, maximumDepth: 4)
    } catch {
      throw LiveActionError("the body is not JSON")
    }
    guard case .object(let members) = value else {
      throw LiveActionError("the body is \(value.kind); expected an object")
    }
    guard case .string(let action)? = value["action"] else {
      throw LiveActionError("'action' is missing or not a string")
    }
    let fields = Fields(value: value, names: members.map(\.name).sorted())
    switch action {
    case "pause": self = .pause(queue: try fields.queue())
    case "resume": self = .resume(queue: try fields.queue())
    case "step": self = .step(queue: try fields.queue())
    case "width": self = .width(queue: try fields.queue(with: "value"), try fields.width())
    case "pace":
      self = .pace(queue: try fields.queue(with: "value"), milliseconds: try fields.pace())
    case "priority":
      self = .priority(operation: try fields.operation(with: "value"), try fields.level())
    case "cancel": self = .cancel(operation: try fields.operation())
    case "finish": self = .finish(operation: try fields.operation())
    case "next":
      try fields.nothing()
      self = .next
    default:
      throw LiveActionError(
        "there is no such action; expected pause, resume, width, pace, step, priority, cancel, "
          + "finish or next")
    }
  }

  /// The members of the object.
  private struct Fields {
    let value: JSONValue
    /// The names in order, with repetitions.
    let names: [String]

    private func check(_ expected: [String?]) throws(LiveActionError) {
      let expected = (["action"] + expected.compactMap { $0 }).sorted()
      guard names == expected else {
        throw LiveActionError("expected exactly the members \(expected.joined(separator: ", "))")
      }
    }

    func nothing() throws(LiveActionError) { try check([]) }

    func queue(with other: String? = nil) throws(LiveActionError) -> String {
      try check(["queue", other])
      guard case .string(let name)? = value["queue"], !name.isEmpty,
        name.utf8.count <= LiveAction.longestName
      else { throw LiveActionError("'queue' must be the name of a queue") }
      return name
    }

    func operation(with other: String? = nil) throws(LiveActionError) -> Int {
      try check(["operation", other])
      guard case .integer(let id)? = value["operation"], id > 0 else {
        throw LiveActionError("'operation' must be the id of an operation")
      }
      return Int(id)
    }

    func width() throws(LiveActionError) -> Int? {
      switch value["value"] {
      case .string("unlimited"): return nil
      case .integer(let number) where (0...Int64(LiveAction.greatestWidth)).contains(number):
        return Int(number)
      default:
        throw LiveActionError(
          "'value' must be an integer from 0 to \(LiveAction.greatestWidth), or \"unlimited\"")
      }
    }

    func pace() throws(LiveActionError) -> Int {
      guard let seconds = value["value"]?.double, (0...LiveAction.longestPace).contains(seconds)
      else { throw LiveActionError("'value' must be a time of 0 to 86400 seconds") }
      // Less than a millisecond is not none.
      return seconds == 0 ? 0 : max(1, Int((seconds * 1000).rounded()))
    }

    func level() throws(LiveActionError) -> Level {
      guard case .string(let name)? = value["value"], let level = Level(rawValue: name) else {
        throw LiveActionError(
          "'value' must be one of \(Level.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return level
    }
  }
}
