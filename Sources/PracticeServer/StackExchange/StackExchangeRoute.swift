/// A method of the Stack Exchange API, with the ids and names as they stand in the path.
enum StackExchangeRoute: Equatable {
  case questions
  case questionsByID(String)
  case answersOfQuestions(String)
  case answers
  case answersByID(String)
  case search
  case advancedSearch
  case tags
  case tagsByName(String)
  case sites
  case info
  case errors
  case errorByID(String)
  /// A path that names no method.
  case unknownMethod

  /// Finds the method of a path.
  ///
  /// - Parameter segments: The parts of the path after the version, decoded.
  init(_ segments: [String]) {
    switch segments {
    case ["questions"]: self = .questions
    case ["answers"]: self = .answers
    case ["search"]: self = .search
    case ["search", "advanced"]: self = .advancedSearch
    case ["tags"]: self = .tags
    case ["sites"]: self = .sites
    case ["info"]: self = .info
    case ["errors"]: self = .errors
    case let path where path.count == 2 && path[0] == "questions": self = .questionsByID(path[1])
    case let path where path.count == 2 && path[0] == "answers": self = .answersByID(path[1])
    case let path where path.count == 2 && path[0] == "errors": self = .errorByID(path[1])
    case let path where path.count == 3 && path[0] == "questions" && path[2] == "answers":
      self = .answersOfQuestions(path[1])
    case let path where path.count == 3 && path[0] == "tags" && path[2] == "info":
      self = .tagsByName(path[1])
    default: self = .unknownMethod
    }
  }

  /// The method as documentation writes it.
  var pattern: String {
    switch self {
    case .questions: "questions"
    case .questionsByID: "questions/{ids}"
    case .answersOfQuestions: "questions/{ids}/answers"
    case .answers: "answers"
    case .answersByID: "answers/{ids}"
    case .search: "search"
    case .advancedSearch: "search/advanced"
    case .tags: "tags"
    case .tagsByName: "tags/{tags}/info"
    case .sites: "sites"
    case .info: "info"
    case .errors: "errors"
    case .errorByID: "errors/{id}"
    case .unknownMethod: "unknown method"
    }
  }

  /// The ids or names that the path holds.
  var variablePart: String {
    switch self {
    case .questionsByID(let text), .answersOfQuestions(let text), .answersByID(let text),
      .tagsByName(let text), .errorByID(let text):
      text
    default: ""
    }
  }
}
