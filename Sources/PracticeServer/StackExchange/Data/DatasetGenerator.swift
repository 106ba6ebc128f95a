import OpshJSON
import OpshSupport

/// Invents a site's posts from a seed.
///
/// The rates of what is optional are those seen on the real site, rounded.
struct DatasetGenerator {
  private static let questionCount = 5_000
  private static let userCount = 1_200
  /// Fourteen years, in seconds.
  private static let longestAge = 14.0 * 365 * 86_400

  private let site: Site
  private var random: RandomSource
  private var users: [JSONValue] = []
  private var questions: [Post] = []
  private var answers: [Post] = []

  /// Makes the data of a site; the same site and seed give the same data.
  static func generate(site: Site, seed: UInt64) -> SiteData {
    var generator = DatasetGenerator(site: site, seed: seed)
    generator.users = (0..<userCount).map {
      User.make(position: $0, site: site.address, &generator.random)
    }
    generator.makeQuestions()
    generator.makeAnswers()
    generator.numberPosts()
    return SiteData(
      site: site, userCount: userCount, questions: generator.questions, answers: generator.answers)
  }

  private init(site: Site, seed: UInt64) {
    self.site = site
    // The hash of the site's name, so that each site has its own data.
    let name = site.parameter.utf8.reduce(fnvBasis) { fnv($0, $1) }
    random = RandomSource(seed: seed, stream: name)
  }

  private mutating func makeQuestions() {
    // Ages are drawn so that a fifteenth of all questions is of the last week: the lists of the
    // week and of the month would be empty otherwise.
    let dates = (0..<Self.questionCount).map { _ in
      let unit = random.unit()
      return SiteData.now - 60 - Int(unit * unit * unit.squareRoot() * Self.longestAge)
    }
    questions.reserveCapacity(Self.questionCount)
    for date in dates.sorted() { questions.append(makeQuestion(at: date)) }
  }

  private mutating func makeQuestion(at date: Int) -> Post {
    // The square favours the first subjects.
    let choice = random.unit()
    let topic = Int(choice * choice.squareRoot() * Double(Topic.all.count))
    let owner = makeOwner()
    let tags = makeTags(of: Topic.all[topic])
    var question = makePost(owner, topic: topic, date: date)
    question.tags = tags
    let age = SiteData.now - date
    question.viewCount = makeViewCount(date: date, score: question.score)
    edit(&question, 0.47)
    if random.chance(0.06), age > 3_600 {
      question.closedDate = date + random.within(600...min(age - 1, 90 * 86_400))
      question.closedReason = random.pick(Self.closedReasons)
    }
    if question.score > 60, random.chance(0.6), age > 90 * 86_400 {
      question.protectedDate = date + random.within(86_400...age - 1)
    }
    if random.chance(0.008), age > 86_400 {
      question.communityOwnedDate = date + random.within(1...age - 1)
    }
    if random.chance(0.004), age > 86_400 {
      question.lockedDate = date + random.within(1...age - 1)
    }
    if (2 * 86_400..<9 * 86_400).contains(age), random.chance(0.08) {
      question.bountyAmount = 50 * random.within(1...6)
      question.bountyClosesDate = SiteData.now + random.within(3_600...7 * 86_400)
    }
    return question
  }

  private mutating func makeAnswers() {
    for position in questions.indices {
      let question = questions[position]
      let age = SiteData.now - question.creationDate
      var count = Self.answerCounts[random.below(Self.answerCounts.count)]
      if question.score > 60 { count += random.below(8) }
      if question.closedDate != nil { count /= 2 }
      let first = answers.count
      for _ in 0..<count where age > 300 {
        answers.append(makeAnswer(position, age: age))
      }
      finishQuestion(at: position, answers: first..<answers.count)
    }
  }

  private mutating func makeAnswer(_ position: Int, age: Int) -> Post {
    // Most answers come soon.
    let unit = random.unit()
    let wait = 120 + Int(unit * unit * unit * unit * Double(age - 180))
    let date = questions[position].creationDate + wait
    var answer = makePost(makeOwner(), topic: questions[position].topic, date: date)
    answer.question = position
    edit(&answer, 0.45)
    if random.chance(0.01) { answer.communityOwnedDate = date }
    return answer
  }

  private mutating func finishQuestion(at position: Int, answers range: Range<Int>) {
    questions[position].answerCount = range.count
    guard !range.isEmpty else { return }
    if random.chance(0.55), let best = range.max(by: { answers[$0].score < answers[$1].score }),
      answers[best].score >= 0
    {
      answers[best].isAccepted = true
      questions[position].acceptedAnswer = best
    }
    questions[position].isAnswered =
      questions[position].acceptedAnswer != nil || range.contains { answers[$0].score > 0 }
    for answer in range {
      questions[position].lastActivityDate = max(
        questions[position].lastActivityDate, answers[answer].lastActivityDate)
    }
  }

  /// Gives all posts identifiers in the order of their creation, as the service does.
  private mutating func numberPosts() {
    let answerOrder = answers.indices.sorted {
      (answers[$0].creationDate, $0) < (answers[$1].creationDate, $1)
    }
    var newPositions = [Int](repeating: 0, count: answers.count)
    for (new, old) in answerOrder.enumerated() { newPositions[old] = new }
    answers = answerOrder.map { answers[$0] }

    var identifier = 11_000_000
    var nextAnswer = 0
    for position in questions.indices {
      while nextAnswer < answers.count,
        answers[nextAnswer].creationDate < questions[position].creationDate
      {
        identifier += random.within(1...9)
        answers[nextAnswer].identifier = identifier
        nextAnswer += 1
      }
      identifier += random.within(1...9)
      questions[position].identifier = identifier
      questions[position].acceptedAnswer = questions[position].acceptedAnswer.map {
        newPositions[$0]
      }
    }
    for position in nextAnswer..<answers.count {
      identifier += random.within(1...9)
      answers[position].identifier = identifier
    }
  }

  private mutating func makePost(_ owner: JSONValue, topic: Int, date: Int) -> Post {
    let (seed, score) = (random.next(), makeScore(date: date))
    return Post(
      owner: owner, textSeed: seed, score: score, creationDate: date, lastActivityDate: date,
      license: makeLicense(date: date), topic: topic)
  }

  private mutating func makeOwner() -> JSONValue {
    if random.chance(0.03) { return User.deleted(random.within(100_000...9_999_999)) }
    // The square gives some people many posts.
    let unit = random.unit()
    return users[Int(unit * unit * Double(Self.userCount))]
  }

  private mutating func makeTags(of topic: Topic) -> UInt64 {
    Topic.bits(ofAny: [topic.tag] + (0..<random.below(5)).map { _ in random.pick(topic.related) })
  }

  /// Edits a post with a probability, unless that would be in the future.
  private mutating func edit(_ post: inout Post, _ probability: Double) {
    guard random.chance(probability) else { return }
    // Most edits follow within the hour, some after months.
    let unit = random.unit()
    let date = post.creationDate + 30 + Int(unit * unit * unit * unit * 120 * 86_400)
    guard date < SiteData.now else { return }
    (post.lastEditDate, post.lastActivityDate) = (date, date)
  }

  private mutating func makeScore(date: Int) -> Int {
    // A post does not get a thousand votes in its first hour.
    let limit = 2 + (SiteData.now - date) / 1_800
    return min(max(makeFinalScore(), -limit), limit)
  }

  private mutating func makeFinalScore() -> Int {
    let kind = random.unit()
    if kind < 0.11 { return -random.within(1...(kind < 0.01 ? 14 : 3)) }
    if kind < 0.40 { return 0 }
    if kind < 0.90 { return random.within(1...6) }
    if kind < 0.99 { return random.within(7...80) }
    return random.within(80...2_800)
  }

  private mutating func makeViewCount(date: Int, score: Int) -> Int {
    let days = Double(SiteData.now - date) / 86_400
    let unit = random.unit()
    return 4 + random.below(60) + max(0, score) * random.within(12...60)
      + Int(days * unit * unit * unit * 90)
  }

  /// The licence that a post of a date is under; a few posts do not tell.
  private mutating func makeLicense(date: Int) -> String? {
    if random.chance(0.02) { return nil }
    if date < 1_302_220_800 { return "CC BY-SA 2.5" }  // 8 April 2011
    return date < 1_525_219_200 ? "CC BY-SA 3.0" : "CC BY-SA 4.0"  // 2 May 2018
  }

  private static let answerCounts = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5]

  private static let closedReasons = PracticeTexts.stackExchange.strings("closedReasons")
}
