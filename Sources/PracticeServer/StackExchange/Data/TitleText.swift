import OpshSupport

/// Makes the titles of questions.
enum TitleText {
  /// Makes a title about a subject, in plain text.
  static func make(_ topic: Topic, _ random: inout RandomSource) -> String {
    let code = random.pick(topic.code)
    let type = random.pick(topic.types)
    let action = random.pick(topic.actions)
    let error = random.pick(topic.errors)
    let language = topic.language
    switch random.below(24) {
    case 0: return "How to \(action) in \(language)?"
    case 1: return "How do I \(action) without \(random.pick(drawbacks))?"
    case 2: return "Why doesn't \(code) work with \(type)?"
    case 3: return "\"\(error)\" when I \(action)"
    case 4: return "What does \"\(error)\" mean?"
    case 5:
      return
        "What is the difference between \(code) and \(other(than: code, in: topic.code, &random))?"
    case 6: return "\(language): \(action), but only \(random.pick(conditions))"
    case 7: return "Can't \(action): \(error)"
    case 8: return "Is it possible to \(action) \(random.pick(conditions))?"
    case 9: return "\(type) vs \(other(than: type, in: topic.types, &random)) in \(language)"
    case 10: return "What's the best way to \(action) in \(language)?"
    case 11: return "Why is \(code) so slow \(random.pick(conditions))?"
    case 12: return "\(language) - \(error)"
    case 13: return "Does \(code) block the calling thread?"
    case 14: return "How can I convert \(type) to \(other(than: type, in: topic.types, &random))?"
    case 15: return "\(code) returns nothing \(random.pick(conditions))"
    case 16: return "Unit test for code that has to \(action)"
    case 17:
      return "When should I use \(code) & when \(other(than: code, in: topic.code, &random))?"
    case 18: return "Why am I getting \"\(error)\" \(random.pick(conditions))?"
    case 19: return "What happens to \(type) if I \(action)?"
    case 20: return "Idiomatic \(language) to \(action)"
    case 21: return "Isn't \(type) supposed to be safe \(random.pick(conditions))?"
    case 22: return "How to use \(code) with \(type) to \(action)"
    default: return "Best practice in \(language): \(code) or \(type)?"
    }
  }

  private static func other(
    than first: String, in words: [String], _ random: inout RandomSource
  ) -> String {
    let word = random.pick(words)
    return word == first ? "its alternatives" : word
  }

  private static let drawbacks = [
    "blocking the main thread", "a third-party library", "losing the order", "a global variable",
    "copying everything", "a race condition", "writing it twice", "root rights",
  ]

  private static let conditions = [
    "on Linux", "in release builds", "when there are more than 1,000 items", "after an upgrade",
    "behind a proxy", "on the second call", "in a unit test", "when it's cancelled",
    "inside a callback", "with an empty input", "on a slow connection", "in a naïve loop",
    "if the user isn't logged in", "since version 2",
  ]
}
