/// Everything there is on one site, invented from a seed.
///
/// Posts are in the order of their identifiers, which is that of their creation.
struct Dataset {
  let site: Site
  let users: [User]
  let questions: [Question]
  let answers: [Answer]
  /// The positions of all answers, those to the first question first.
  private let answersByQuestion: [Int32]
  /// Where the answers to each question begin in `answersByQuestion`; one more than questions.
  private let answerOffsets: [Int32]
  /// How many questions each tag has, and the first and the latest activity in it.
  let tagUses: [TagUse]

  /// How a tag is used.
  struct TagUse {
    let name: String
    var count = 0
    var firstUse = Int.max
    var lastActivity = 0
  }

  /// The moment that the data stands still at: 1 June 2024, 00:00 UTC.
  ///
  /// Data that depended on the present day would not be the same tomorrow.
  static let now = 1_717_200_000

  init(site: Site, users: [User], questions: [Question], answers: [Answer]) {
    self.site = site
    self.users = users
    self.questions = questions
    self.answers = answers

    var offsets = [Int32](repeating: 0, count: questions.count + 1)
    for answer in answers { offsets[answer.question + 1] += 1 }
    for position in questions.indices { offsets[position + 1] += offsets[position] }
    var next = offsets
    var grouped = [Int32](repeating: 0, count: answers.count)
    for (position, answer) in answers.enumerated() {
      grouped[Int(next[answer.question])] = Int32(position)
      next[answer.question] += 1
    }
    answersByQuestion = grouped
    answerOffsets = offsets

    var uses = Topic.tags.map { TagUse(name: $0) }
    for question in questions {
      forEachBit(of: question.tags) { bit in
        uses[bit].count += 1
        uses[bit].firstUse = min(uses[bit].firstUse, question.creationDate)
        uses[bit].lastActivity = max(uses[bit].lastActivity, question.lastActivityDate)
      }
    }
    tagUses = uses.filter { $0.count > 0 }
  }

  /// The positions of the answers to a question, the oldest first.
  func answers(toQuestionAt position: Int) -> ArraySlice<Int32> {
    answersByQuestion[Int(answerOffsets[position])..<Int(answerOffsets[position + 1])]
  }

  /// The position of the post with an identifier, found by halving.
  static func position<P: Post>(of identifier: Int, in posts: [P]) -> Int? {
    var low = 0
    var high = posts.count
    while low < high {
      let middle = (low + high) / 2
      if posts[middle].identifier < identifier { low = middle + 1 } else { high = middle }
    }
    return low < posts.count && posts[low].identifier == identifier ? low : nil
  }
}

/// Calls a function with the number of each bit that is set, from the lowest.
func forEachBit(of bits: UInt64, _ body: (Int) -> Void) {
  var rest = bits
  while rest != 0 {
    body(rest.trailingZeroBitCount)
    rest &= rest - 1
  }
}
