/// Why a name can't be given to an operation or a queue.
enum NameError: Error {
  case malformed(String)
  case reserved(String)
  case taken(String)

  var message: String {
    switch self {
    case .malformed(let name):
      "'\(name)' is no name: names begin with a letter and hold letters, digits, '-' and '_'"
    case .reserved(let name): "'\(name)' is reserved"
    case .taken(let name): "the name '\(name)' is taken"
    }
  }

  /// What to do about it.
  var help: String? {
    switch self {
    case .malformed: nil
    case .reserved: "choose another name; this word has a meaning already"
    case .taken: "choose another name: each is given once"
    }
  }

  static func check(_ name: String, reserved: [String]) throws(NameError) {
    guard let first = name.first, first.isLetter,
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    else { throw .malformed(name) }
    guard !reserved.contains(name) else { throw .reserved(name) }
  }
}
