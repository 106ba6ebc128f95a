/// Works out what an object is after a client has written to it.
struct ParseWrite {
  private let className: String
  private let store: ParseStore
  /// The fields as they become.
  private(set) var fields: JSONObject
  /// The members of the relations as they become.
  private(set) var relations: JSONObject
  /// The types of the fields that were written.
  private(set) var types: [String: String] = [:]
  /// New values that the client cannot know by itself.
  private(set) var results = JSONObject()

  /// Applies what a client has sent.
  ///
  /// - Parameters:
  ///   - changes: What was sent: plain values, and operations on the values that are there.
  ///   - object: The object as it was; nil for a new one.
  ///   - className: The class.
  ///   - store: Where the types of the class's fields are known.
  /// - Throws: What is wrong with one of the changes.
  init(
    _ changes: JSONObject, to object: ParseObject?, of className: String, in store: ParseStore
  ) throws(ParseError) {
    self.className = className
    self.store = store
    fields = object?.fields ?? JSONObject()
    relations = object?.relations ?? JSONObject()
    for (key, value) in changes {
      switch key {
      case "createdAt", "updatedAt": continue
      case "objectId":
        if object == nil { throw ParseError(105, "objectId is an invalid field name.") }
      default:
        guard ParseStore.isName(key) else { throw .fieldName(key) }
        try apply(value, to: key)
      }
    }
  }

  private mutating func apply(_ value: JSONValue, to key: String) throws(ParseError) {
    guard let operation = value.object, let name = operation["__op"] else {
      try ParseValue.checkNestedKeys(value)
      return try set(key, value)
    }
    switch name.string {
    case "Delete": fields[key] = nil
    case "Increment": try increment(key, by: operation["amount"])
    case "Add", "AddUnique", "Remove":
      guard let objects = operation["objects"]?.array else {
        throw ParseError(107, "objects to \(name.string ?? "") must be an array")
      }
      for object in objects { try ParseValue.checkNestedKeys(object) }
      try change(key, name.string ?? "", objects)
    case "AddRelation", "RemoveRelation": try relate(key, operation)
    case "Batch":
      guard let operations = operation["ops"]?.array else {
        throw ParseError(107, "ops of Batch must be an array")
      }
      // That is how clients add and remove at once; there is no other use for it.
      for operation in operations { try relate(key, operation.object ?? JSONObject()) }
    default:
      throw Self.unsupported(name)
    }
  }

  private static func unsupported(_ name: JSONValue?) -> ParseError {
    ParseError(108, "The \(name?.string ?? "") operator is not supported yet.")
  }

  /// Adds members to a relation, or removes some.
  private mutating func relate(_ key: String, _ operation: JSONObject) throws(ParseError) {
    let name = operation["__op"]
    guard name == .string("AddRelation") || name == .string("RemoveRelation") else {
      throw Self.unsupported(name)
    }
    guard let objects = operation["objects"]?.array else {
      throw ParseError(107, "objects to \(name?.string ?? "") must be an array")
    }
    var members = relations[key]?.array ?? []
    guard members.count * objects.count <= 1_000_000 else { throw .tooMuchWork }
    for object in objects {
      guard let target = ParseValue.target(object) else {
        throw ParseError(106, "malformed pointer")
      }
      try check(key, ParseValue.relationType(to: target.className))
      let pointer = ParseValue.pointer(target.className, target.identifier)
      if name == .string("RemoveRelation") {
        members.removeAll { $0 == pointer }
      } else if !members.contains(pointer) {
        members.append(pointer)
      }
    }
    relations[key] = members.isEmpty ? nil : .array(members)
  }

  private mutating func set(_ key: String, _ value: JSONValue) throws(ParseError) {
    if key == "ACL" {
      guard value.object != nil || value == .null else {
        throw ParseError(123, "ACL must be an object")
      }
    } else if let type = try ParseValue.typeName(value) {
      try check(key, type)
      // It says only that there is a relation, and that is what clients send back.
      if ParseValue.relationTarget(type) != nil { return }
    }
    fields[key] = value
  }

  private mutating func check(_ key: String, _ type: String) throws(ParseError) {
    if let expected = store.type(of: key, in: className) ?? types[key], expected != type {
      throw .mismatch(className, key, expected: expected, got: type)
    }
    types[key] = type
  }

  private mutating func increment(_ key: String, by amount: JSONValue?) throws(ParseError) {
    guard let amount, let step = amount.number else {
      throw ParseError(107, "incrementing must provide a number")
    }
    try check(key, "Number")
    let old = fields[key] ?? .null
    guard old == .null || old.number != nil else {
      let type = try ParseValue.typeName(old) ?? "null"
      throw .mismatch(className, key, expected: type, got: "Number")
    }
    var sum = JSONValue.fraction((old.number ?? 0) + step)
    if case .integer(let right) = amount {
      var left: Int?
      if case .integer(let value) = old { left = value } else if old == .null { left = 0 }
      if let left {
        let (whole, overflow) = left.addingReportingOverflow(right)
        if !overflow { sum = .integer(whole) }
      }
    }
    guard sum.number?.isFinite == true else { throw ParseError(107, "the number is too large") }
    fields[key] = sum
    results[key] = sum
  }

  private mutating func change(
    _ key: String, _ name: String, _ objects: [JSONValue]
  ) throws(ParseError) {
    try check(key, "Array")
    let old = fields[key] ?? .null
    guard old == .null || old.array != nil else {
      let type = try ParseValue.typeName(old) ?? "null"
      throw .mismatch(className, key, expected: type, got: "Array")
    }
    var items = old.array ?? []
    // Each comparison with each: bounded by the size of an object, but worth a bound of its own.
    guard name == "Add" || items.count * objects.count <= 1_000_000 else { throw .tooMuchWork }
    switch name {
    case "Add": items += objects
    case "AddUnique":
      for object in objects where !items.contains(where: { ParseOrder.areEqual($0, object) }) {
        items.append(object)
      }
    default:
      items.removeAll { item in objects.contains { ParseOrder.areEqual(item, $0) } }
    }
    fields[key] = .array(items)
    results[key] = .array(items)
  }
}
