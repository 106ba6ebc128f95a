/// Why a name can't be given to an operation or a queue.
enum NameError: Error {
  case malformed(String)
  case reserved(String)
  /// Something has the name: a queue, or an operation that is being built.
  case taken(String)
  /// An unfinished operation has the name.
  case inUse(String, id: Int)

  var message: String {
    switch self {
    case .malformed(let name):
      "'\(name)' is no name: names begin with a letter and hold letters, digits, '-' and '_'"
    case .reserved(let name): "'\(name)' is reserved"
    case .taken(let name): "the name '\(name)' is taken"
    case .inUse(let name, let id):
      "the name '\(name)' is taken: operation \(id) has it and has not finished"
    }
  }

  /// What to do about it.
  var help: String? {
    switch self {
    case .malformed: nil
    case .reserved: "choose another name; this word has a meaning already"
    case .taken: "choose another name"
    case .inUse(let name, _): "'wait \(name)' before this statement, or choose another name"
    }
  }

  static func check(_ name: String, reserved: [String]) throws(NameError) {
    guard let first = name.first, first.isLetter,
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    else { throw .malformed(name) }
    guard !reserved.contains(name) else { throw .reserved(name) }
  }
}
