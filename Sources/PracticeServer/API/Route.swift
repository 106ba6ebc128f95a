/// What a path leads to, with the ids and names as they stand in the path.
enum Route: Equatable {
  case index
  case questions
  case questionsByID(String)
  case answersOfQuestions(String)
  case answers
  case answersByID(String)
  case tags
  case tagsByName(String)
  case sites
  case info
  case errors
  case errorByID(String)
  /// A path under a version that names no method.
  case unknownMethod
  /// A path outside the API.
  case notFound

  /// Finds the route of a path.
  ///
  /// - Parameter segments: The parts of the path between the slashes, decoded.
  init(segments: [String]) {
    guard let version = segments.first else {
      self = .index
      return
    }
    guard version == "2.2" || version == "2.3" else {
      self = .notFound
      return
    }
    switch segments.dropFirst().map({ $0 }) {
    case ["questions"]: self = .questions
    case ["answers"]: self = .answers
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

  /// The route as documentation writes it.
  var pattern: String {
    switch self {
    case .index: "/"
    case .questions: "questions"
    case .questionsByID: "questions/{ids}"
    case .answersOfQuestions: "questions/{ids}/answers"
    case .answers: "answers"
    case .answersByID: "answers/{ids}"
    case .tags: "tags"
    case .tagsByName: "tags/{tags}/info"
    case .sites: "sites"
    case .info: "info"
    case .errors: "errors"
    case .errorByID: "errors/{id}"
    case .unknownMethod: "unknown method"
    case .notFound: "not found"
    }
  }

  /// The ids or names that the path holds.
  var variablePart: String {
    switch self {
    case .questionsByID(let text), .answersOfQuestions(let text), .answersByID(let text),
      .tagsByName(let text), .errorByID(let text):
      text
    case .index, .questions, .answers, .tags, .sites, .info, .errors, .unknownMethod, .notFound:
      ""
    }
  }

  /// Whether the path belongs to the imitated service, where faults apply.
  var isImitated: Bool { self != .index && self != .notFound }

  /// Whether the method answers for one site, which must be named.
  var needsSite: Bool {
    switch self {
    case .questions, .questionsByID, .answersOfQuestions, .answers, .answersByID, .tags,
      .tagsByName, .info:
      true
    case .index, .sites, .errors, .errorByID, .unknownMethod, .notFound: false
    }
  }

  /// What the server says about itself.
  static let overview = """
    opsh practice server: invented data in the shapes of the Stack Exchange API

      /2.3/questions?site=stackoverflow
      /2.3/questions/{ids}?site=stackoverflow
      /2.3/questions/{ids}/answers?site=stackoverflow
      /2.3/answers?site=stackoverflow
      /2.3/answers/{ids}?site=stackoverflow
      /2.3/tags?site=stackoverflow
      /2.3/tags/{tags}/info?site=stackoverflow
      /2.3/info?site=stackoverflow
      /2.3/sites
      /2.3/errors
      /2.3/errors/{id}

    /2.2 answers the same.

    """
}
