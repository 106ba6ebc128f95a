import Operations
import ShellLanguage

/// An operation that has ended, while conditions are evaluated with the values that it ended with,
/// or with those that it would have had as a success.
final class JudgedEnd {
  /// The end that expressions on this thread are evaluated with.
  static let current = ThreadSlot<JudgedEnd>()

  /// The properties that tell how an operation ended.
  static let properties: Set<String> = ["outcome", "error", "status", "refusal", "cancelled"]

  let object: OperationObject
  /// The status of the response of the success; nil for the actual end.
  private var successStatus: Int64?
  private var hasReadStatus = false

  init(_ object: OperationObject) { self.object = object }

  func property(_ name: String) -> Value? {
    guard let successStatus else { return object.property(name) }
    switch name {
    case "outcome": return .string("succeeded")
    case "error", "refusal": return .null
    case "cancelled": return .boolean(false)
    case "status":
      hasReadStatus = true
      return .integer(successStatus)
    default: return object.property(name)
    }
  }

  /// Whether a condition holds for any success.
  func wouldSucceed(_ holds: () -> Bool) -> Bool {
    defer { successStatus = nil }
    for status in Int64(200)...299 {
      successStatus = status
      if holds() { return true }
      if !hasReadStatus { return false }
    }
    return false
  }
}

@available(*, unavailable)
extension JudgedEnd: Sendable {}

/// An operation in the condition of a met expectation: its properties are as they were then, or as
/// they are in the end that is judged.
final class KeptOperation: LanguageObject {
  let id: Int
  let text: String
  private let values: [String: Value]
  private let instants: [String: Value]

  /// Keeps the present values of these properties.
  init(_ object: OperationObject, keeping names: Set<String> = []) {
    id = object.operation.id
    text = object.text
    var (values, instants): ([String: Value], [String: Value]) = ([:], [:])
    for name in names {
      values[name] = object.property(name)
      instants[name] = object.instant(name)
    }
    (self.values, self.instants) = (values, instants)
  }

  var typeName: String { "operation" }

  var propertyNames: [String] { [] }

  private var judged: JudgedEnd? {
    JudgedEnd.current.value.flatMap { $0.object.operation.id == id ? $0 : nil }
  }

  func property(_ name: String) -> Value? {
    if let judged { judged.property(name) } else { values[name] }
  }

  func instant(_ name: String) -> Value? {
    if let judged { judged.object.instant(name) } else { instants[name] }
  }
}

extension KeptOperation {
  /// Adds what it keeps.
  func combine(into hasher: inout Hasher) {
    hasher.combine(id)
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      hasher.combine(name)
      hasher.combine(value.typeName)
      hasher.combine(value.text)
    }
  }
}

/// A `count of … where …` in the condition of a met expectation: it counts what it counted then, but
/// for the operation whose end is judged.
final class KeptCount: LanguageObject {
  /// The name of the property that is the number.
  static let number = "number"

  struct Member: Hashable, Sendable {
    /// How many times the operation is in the list that is counted.
    var times = 0
    /// Whether it was counted.
    var fits = false
  }

  let condition: Expression
  private let context: ExecutionContext
  /// The operations that may be judged.
  private let members: [Int: Member]
  /// All that is counted, if the condition is also about other operations than the counted one.
  let elements: [KeptOperation]?
  private let keptNumber: Int

  init(
    _ condition: Expression, in context: ExecutionContext, number: Int, members: [Int: Member],
    elements: [KeptOperation]?
  ) {
    (self.condition, self.context) = (condition, context)
    (keptNumber, self.members, self.elements) = (number, members, elements)
  }

  var typeName: String { "count" }

  var text: String { String(keptNumber) }

  var propertyNames: [String] { [Self.number] }

  func property(_ name: String) -> Value? { .integer(Int64(value)) }

  /// Whether it is about an operation that may be judged.
  func counts(_ id: Int) -> Bool { members[id] != nil }

  private var value: Int {
    guard let judged = JudgedEnd.current.value else { return keptNumber }
    if let elements { return elements.count(where: holds) }
    guard let member = members[judged.object.operation.id] else { return keptNumber }
    let fits = holds(KeptOperation(judged.object))
    return keptNumber + member.times * ((fits ? 1 : 0) - (member.fits ? 1 : 0))
  }

  /// Whether it counts an operation.
  func holds(_ operation: KeptOperation) -> Bool {
    (try? context.evaluate(condition, subject: .object(operation)).isTruthy) ?? false
  }
}
