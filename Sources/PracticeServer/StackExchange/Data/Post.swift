/// What questions and answers have in common.
protocol Post {
  var identifier: Int { get }
  var score: Int { get }
  var creationDate: Int { get }
  var lastActivityDate: Int { get }
}

/// Who wrote a post.
enum Author {
  /// A position in the list of people.
  case user(Int)
  /// A deleted account, with the number in its remaining name.
  case deleted(Int)
}

/// A question, as numbers; its texts are made when they are asked for.
struct Question: Post {
  var identifier = 0
  var author: Author
  var topic: Int
  /// Bit n stands for the tag at position n.
  var tags: UInt64
  /// Starts the sequence that the texts are made from.
  var textSeed: UInt64
  var score: Int
  var viewCount: Int
  var answerCount = 0
  var isAnswered = false
  /// Points into the answers, until they have their identifiers.
  var acceptedAnswer: Int?
  var creationDate: Int
  var lastActivityDate: Int
  var lastEditDate: Int?
  var protectedDate: Int?
  var communityOwnedDate: Int?
  var lockedDate: Int?
  var closedDate: Int?
  var closedReason: String?
  var bountyAmount: Int?
  var bountyClosesDate: Int?
  var license: String?
}

/// An answer to a question.
struct Answer: Post {
  var identifier = 0
  /// The position of its question.
  var question: Int
  var author: Author
  var textSeed: UInt64
  var score: Int
  var isAccepted = false
  var creationDate: Int
  var lastActivityDate: Int
  var lastEditDate: Int?
  var communityOwnedDate: Int?
  var license: String?
}
