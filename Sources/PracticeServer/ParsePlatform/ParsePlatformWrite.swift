import OpshJSON

/// Works out what an object is after a client has written to it.
struct ParsePlatformWrite {
  private let className: String
  private let store: ParsePlatformStore
  /// The fields as they become.
  private(set) var fields: [JSONValue.Member]
  /// The types of the fields that were written.
  private(set) var types: [String: String] = [:]
  /// New values that the client cannot know by itself.
  private(set) var results: [JSONValue.Member] = []

  /// Applies what a client has sent.
  ///
  /// - Parameters:
  ///   - changes: What was sent: plain values, and operations on the values that are there.
  ///   - object: The object as it was; nil for a new one.
  ///   - className: The class.
  ///   - store: Where the types of the class's fields are known.
  /// - Throws: What is wrong with one of the changes.
  init(
    _ changes: [JSONValue.Member], to object: ParsePlatformObject?, of className: String,
    in store: ParsePlatformStore
  ) throws(ParsePlatformError) {
    self.className = className
    self.store = store
    fields = object?.fields ?? []
    for change in changes {
      switch change.name {
      case "createdAt", "updatedAt": continue
      case "objectId":
        if object == nil { throw ParsePlatformError(105, "objectId is an invalid field name.") }
      default:
        guard ParsePlatformStore.isName(change.name) else { throw .fieldName(change.name) }
        try apply(change.value, to: change.name)
      }
    }
  }

  private mutating func apply(_ value: JSONValue, to key: String) throws(ParsePlatformError) {
    guard let operation = value["__op"] else {
      try ParsePlatformValue.checkNestedKeys(value)
      return try set(key, value)
    }
    let name = operation.string ?? ""
    switch name {
    case "Delete": fields[key] = nil
    case "Increment": try increment(key, by: value["amount"])
    case "Add", "AddUnique", "Remove":
      guard let objects = value["objects"]?.elements else {
        throw ParsePlatformError(107, "objects to \(name) must be an array")
      }
      for object in objects { try ParsePlatformValue.checkNestedKeys(object) }
      try change(key, name, objects)
    default: throw ParsePlatformError(108, "The \(name) operator is not supported yet.")
    }
  }

  private mutating func set(_ key: String, _ value: JSONValue) throws(ParsePlatformError) {
    if key == "ACL" {
      guard value.members != nil || value == .null else {
        throw ParsePlatformError(123, "ACL must be an object")
      }
    } else if let type = try ParsePlatformValue.typeName(value) {
      try check(key, type)
    }
    fields[key] = value
  }

  private mutating func check(_ key: String, _ type: String) throws(ParsePlatformError) {
    if let expected = store.type(of: key, in: className) ?? types[key], expected != type {
      throw .mismatch(className, key, expected: expected, got: type)
    }
    types[key] = type
  }

  /// The value that an operation changes, which must be of its type; nil if there is none.
  private mutating func old(
    _ key: String, _ type: String
  ) throws(ParsePlatformError) -> JSONValue? {
    try check(key, type)
    guard let old = fields[key], let actual = try ParsePlatformValue.typeName(old) else {
      return nil
    }
    guard actual == type else { throw .mismatch(className, key, expected: actual, got: type) }
    return old
  }

  private mutating func increment(
    _ key: String, by amount: JSONValue?
  ) throws(ParsePlatformError) {
    guard let amount, let step = amount.double else {
      throw ParsePlatformError(107, "incrementing must provide a number")
    }
    let old = try old(key, "Number") ?? .integer(0)
    var sum = ParsePlatformValue.number((old.double ?? 0) + step)
    if case .integer(let left) = old, case .integer(let right) = amount {
      let (whole, overflow) = left.addingReportingOverflow(right)
      if !overflow { sum = .integer(whole) }
    }
    guard let sum else { throw ParsePlatformError(107, "the number is too large") }
    fields[key] = sum
    results[key] = sum
  }

  private mutating func change(
    _ key: String, _ name: String, _ objects: [JSONValue]
  ) throws(ParsePlatformError) {
    var items = try old(key, "Array")?.elements ?? []
    switch name {
    case "Add": items += objects
    case "AddUnique":
      for object in objects
      where !items.contains(where: { ParsePlatformValue.areEqual($0, object) }) {
        items.append(object)
      }
    default:
      items.removeAll { item in objects.contains { ParsePlatformValue.areEqual(item, $0) } }
    }
    fields[key] = .array(items)
    results[key] = .array(items)
  }
}
