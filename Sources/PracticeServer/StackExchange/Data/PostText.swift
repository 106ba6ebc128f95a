import OpshJSON
import OpshSupport

/// Makes the titles of questions, and the texts of posts as HTML.
struct PostText {
  private let topic: Topic
  private var random: RandomSource

  private init(_ post: Post) {
    topic = Topic.all[post.topic]
    random = RandomSource(seed: post.textSeed)
  }

  /// Makes the title of a question in plain text, and its text when that is needed.
  static func question(_ post: Post) -> (title: String, body: () -> String) {
    var text = PostText(post)
    let title = text.title()
    return (
      title,
      {
        var text = text
        return text.question()
      }
    )
  }

  /// Makes the text of an answer.
  static func answer(_ post: Post) -> String {
    var text = PostText(post)
    return text.answer()
  }

  private mutating func title() -> String {
    let words = [
      "code": random.pick(topic.code), "type": random.pick(topic.types),
      "action": random.pick(topic.actions), "error": random.pick(topic.errors),
      "language": topic.language,
    ]
    var title = ""
    for part in random.pick(Self.titles).split(separator: "{", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2 else {
        title += part
        continue
      }
      title += word(String(sides[0]), words) + sides[1]
    }
    return title
  }

  private mutating func word(_ name: String, _ words: [String: String]) -> String {
    switch name {
    case "drawback": return random.pick(Self.drawbacks)
    case "condition": return random.pick(Self.conditions)
    case "otherCode", "otherType":
      let isCode = name == "otherCode"
      let other = random.pick(isCode ? topic.code : topic.types)
      return other == words[isCode ? "code" : "type"] ? "its alternatives" : other
    default: return words[name] ?? ""
    }
  }

  private mutating func question() -> String {
    var text = paragraph("I'm trying to \(random.pick(topic.actions)) in \(topic.language). ")
    text += code()
    text += paragraph(
      "But all I get is <code>\(HTMLText.encode(random.pick(topic.errors)))</code>. ")
    if random.chance(0.5) { text += paragraph("") }
    if random.chance(0.15) {
      let page = "https://docs.example.org/\(topic.tag)/\(random.pick(Self.variables))"
      text += "<p>See <a href=\"\(page)\" rel=\"nofollow noreferrer\">the manual</a>.</p>\n"
    }
    return text
  }

  private mutating func answer() -> String {
    let name = HTMLText.encode(random.pick(topic.code))
    var text = paragraph("You're looking for <code>\(name)</code>. ")
    if random.chance(0.7) { text += code() }
    if random.chance(0.4) { text += paragraph("") }
    return text
  }

  private mutating func paragraph(_ beginning: String) -> String {
    var text = "<p>" + beginning + random.pick(Self.sentences)
    for _ in 0..<random.below(3) { text += " " + random.pick(Self.sentences) }
    return text + "</p>\n"
  }

  private mutating func code() -> String {
    var text = "<pre><code>"
    for _ in 0..<random.within(2...5) {
      let type = random.pick(topic.types)
      let line = "\(type) \(random.pick(Self.variables)) = \(random.pick(topic.code))"
      text += HTMLText.encode(line) + "\n"
    }
    return text + "</code></pre>\n"
  }

  private static let titles = PracticeTexts.stackExchange.strings("titles")
  private static let drawbacks = PracticeTexts.stackExchange.strings("drawbacks")
  private static let conditions = PracticeTexts.stackExchange.strings("conditions")
  private static let variables = PracticeTexts.stackExchange.strings("variables")
  private static let sentences = PracticeTexts.stackExchange.strings("sentences")
}
