import OpshSupport

/// Makes the texts of posts, as HTML.
enum BodyText {
  /// Makes the text of a question.
  static func question(_ topic: Topic, _ random: inout RandomSource) -> String {
    var text = paragraph(
      "I'm trying to \(random.pick(topic.actions)) in \(topic.language). ", &random)
    text += code(topic, &random)
    text += paragraph(
      "But all I get is <code>\(HTMLText.encode(random.pick(topic.errors)))</code>. ", &random)
    if random.chance(0.5) { text += paragraph("", &random) }
    if random.chance(0.15) {
      let page = "https://docs.example.org/\(topic.tag)/\(random.pick(names))"
      text += "<p>See <a href=\"\(page)\" rel=\"nofollow noreferrer\">the manual</a>.</p>\n"
    }
    return text
  }

  /// Makes the text of an answer.
  static func answer(_ topic: Topic, _ random: inout RandomSource) -> String {
    let name = HTMLText.encode(random.pick(topic.code))
    var text = paragraph("You're looking for <code>\(name)</code>. ", &random)
    if random.chance(0.7) { text += code(topic, &random) }
    if random.chance(0.4) { text += paragraph("", &random) }
    return text
  }

  private static func paragraph(_ beginning: String, _ random: inout RandomSource) -> String {
    var text = "<p>" + beginning + random.pick(sentences)
    for _ in 0..<random.below(3) { text += " " + random.pick(sentences) }
    return text + "</p>\n"
  }

  private static func code(_ topic: Topic, _ random: inout RandomSource) -> String {
    var text = "<pre><code>"
    for _ in 0..<random.within(2...5) {
      let line = "\(random.pick(topic.types)) \(random.pick(names)) = \(random.pick(topic.code))"
      text += HTMLText.encode(line) + "\n"
    }
    return text + "</code></pre>\n"
  }

  private static let names = ["value", "result", "items", "handler", "next", "buffer", "total"]

  private static let sentences = [
    "It works the first time and never again.", "The documentation doesn't mention this case.",
    "On my colleague's machine there is no problem.", "I have read the similar questions.",
    "The order of the results matters to me.", "Note that this is not safe with several threads.",
    "With a small input everything is fine.", "I'd rather not change the calling code.",
    "That is by design: the value is copied when it is passed on.",
    "Measure before you make it more complicated.", "Is there a better way?",
    "Don't forget to handle the case in which it is cancelled.",
    "It has been like this since the last upgrade.", "See also the tests for an example.",
  ]
}
