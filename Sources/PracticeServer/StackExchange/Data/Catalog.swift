import Foundation
import OpshSupport
import OpshWebAPIs

/// A site's data with its posts in every order that has been asked for.
///
/// An order is made once, when it is first needed. All positions are sorted so that the greatest
/// comes first, and of equal ones the newest.
final class Catalog {
  let dataset: Dataset
  private var questionOrders: [QuestionSort: [Int32]] = [:]
  private var answerOrders: [PostSort: [Int32]] = [:]
  /// The texts of questions that were searched, in lower case and encoded as they are sent.
  private var texts: [Int32: SearchedText] = [:]

  /// The texts of a question in which a search looks.
  struct SearchedText {
    var title: [UInt8]
    var body: [UInt8]
  }

  init(_ dataset: Dataset) {
    self.dataset = dataset
  }

  func questions(by sort: QuestionSort) -> [Int32] {
    if let order = questionOrders[sort] { return order }
    let questions = dataset.questions
    let order: [Int32]
    if let field = sort.field {
      order = Self.sorted(questions.count) { field.key(of: questions[$0]) }
    } else if let maximumAge = sort.maximumAge {
      let recent = Self.sorted(questions.count) { questions[$0].score }
      let oldest = Dataset.now - maximumAge
      order = recent.filter { questions[Int($0)].creationDate >= oldest }
    } else {
      order = Self.sorted(questions.count) { Self.heat(of: questions[$0]) }
    }
    questionOrders[sort] = order
    return order
  }

  func answers(by sort: PostSort) -> [Int32] {
    if let order = answerOrders[sort] { return order }
    let answers = dataset.answers
    let order = Self.sorted(answers.count) { sort.key(of: answers[$0]) }
    answerOrders[sort] = order
    return order
  }

  /// The texts of a question, made when a search first looks into them.
  func text(ofQuestionAt position: Int32) -> SearchedText {
    if let text = texts[position] { return text }
    let question = dataset.questions[Int(position)]
    let topic = Topic.all[question.topic]
    var random = RandomSource(seed: question.textSeed)
    let title = HTMLText.encode(TitleText.make(topic, &random))
    let body = BodyText.question(topic, &random)
    let text = SearchedText(
      title: Array(title.lowercased().utf8), body: Array(body.lowercased().utf8))
    texts[position] = text
    return text
  }

  /// Sorts positions by a key; each key is computed once.
  static func sorted(_ count: Int, by key: (Int) -> Int) -> [Int32] {
    sorted((0..<Int32(count)).map { $0 }) { key(Int($0)) }
  }

  /// Sorts some positions by a key.
  static func sorted(_ positions: [Int32], by key: (Int32) -> Int) -> [Int32] {
    positions.map { (key: key($0), position: $0) }
      .sorted { ($0.key, $0.position) > ($1.key, $1.position) }
      .map(\.position)
  }

  /// How much goes on around a question for its age, as the site's hot list weighs it.
  private static func heat(of question: Question) -> Int {
    let hours = Double(Dataset.now - question.creationDate) / 3_600
    let quiet = Double(Dataset.now - question.lastActivityDate) / 3_600
    let interest =
      log10(Double(max(1, question.viewCount))) * 4
      + Double(min(question.answerCount, 10) * max(question.score, 0)) / 5
      + Double(max(question.score, 0))
    let age = (hours + 1 - (hours - quiet) / 2)
    return Int(interest / (age * age.squareRoot()) * 1e9)
  }
}

@available(*, unavailable)
extension Catalog: Sendable {}
