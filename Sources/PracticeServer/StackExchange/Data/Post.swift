import Foundation
import OpshJSON
import OpshWebAPIs

/// A question or an answer, as numbers; its texts are made when they are asked for.
struct Post {
  enum Kind {
    case question, answer
  }

  var identifier = 0
  /// The author as it is sent.
  var owner: JSONValue
  /// Starts the sequence that the texts are made from.
  var textSeed: UInt64
  var score: Int
  var creationDate: Int
  var lastActivityDate: Int
  var lastEditDate: Int?
  var communityOwnedDate: Int?
  var license: String?

  // MARK: Questions

  /// The position of the subject; that of an answer is its question's.
  var topic = 0
  /// Bit n stands for the tag at position n.
  var tags: UInt64 = 0
  var viewCount = 0
  var answerCount = 0
  var isAnswered = false
  /// The position of the accepted answer.
  var acceptedAnswer: Int?
  var protectedDate: Int?
  var lockedDate: Int?
  var closedDate: Int?
  var closedReason: String?
  var bountyAmount: Int?
  var bountyClosesDate: Int?

  // MARK: Answers

  /// The position of the question.
  var question = 0
  var isAccepted = false

  /// The number that a sort compares, and that `min` and `max` bound.
  func key(_ sort: QuestionSort) -> Int {
    switch sort {
    case .activity: lastActivityDate
    case .creation: creationDate
    case .votes, .week, .month: score
    case .hot: heat
    }
  }

  /// The activity around a question for its age, as the site's hot list weighs it.
  private var heat: Int {
    let hours = Double(SiteData.now - creationDate) / 3_600
    let quiet = Double(SiteData.now - lastActivityDate) / 3_600
    let interest =
      log10(Double(max(1, viewCount))) * 4
      + Double(min(answerCount, 10) * max(score, 0)) / 5
      + Double(max(score, 0))
    let age = (hours + 1 - (hours - quiet) / 2)
    return Int(interest / (age * age.squareRoot()) * 1e9)
  }
}

extension QuestionSort {
  /// True if `min` and `max` bound what it compares.
  var hasBounds: Bool { maximumAge == nil && self != .hot }

  /// The greatest age of a question in the lists of the recent ones.
  var maximumAge: Int? {
    switch self {
    case .week: 7 * 86_400
    case .month: 30 * 86_400
    case .activity, .creation, .votes, .hot: nil
    }
  }
}
