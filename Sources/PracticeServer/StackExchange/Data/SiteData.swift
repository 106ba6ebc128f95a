import OpshSupport
import OpshWebAPIs

/// Everything there is on one site, invented from a seed.
///
/// Posts are in the order of their identifiers, which is that of their creation.
final class SiteData {
  let site: Site
  let userCount: Int
  let questions: [Post]
  let answers: [Post]
  /// The number of questions of each tag, and the first and the latest activity in it.
  let tagUses: [TagUse]
  /// The positions of the answers to each question, the oldest first.
  private let answersByQuestion: [Int: [Int]]
  /// The positions of all posts in the orders that have been asked for.
  private var orders: [Order: [Int]] = [:]
  /// The texts of questions that were searched.
  private var texts: [Int: SearchedText] = [:]

  private struct Order: Hashable {
    var kind: Post.Kind
    var sort: QuestionSort
  }

  /// The use of a tag.
  struct TagUse {
    let name: String
    var count = 0
    var firstUse = Int.max
    var lastActivity = 0
  }

  /// The texts of a question in which a search looks, in lower case and encoded as they are sent.
  struct SearchedText {
    var title: [UInt8]
    var body: [UInt8]
  }

  /// The moment that the data stands still at: 1 June 2024, 00:00 UTC.
  ///
  /// Data that depended on the present day would not be the same tomorrow.
  static let now = 1_717_200_000

  init(site: Site, userCount: Int, questions: [Post], answers: [Post]) {
    (self.site, self.userCount) = (site, userCount)
    (self.questions, self.answers) = (questions, answers)
    answersByQuestion = Dictionary(grouping: answers.indices) { answers[$0].question }
    var uses = Topic.tags.map { TagUse(name: $0) }
    for question in questions {
      for bit in Topic.bits(of: question.tags) {
        uses[bit].count += 1
        uses[bit].firstUse = min(uses[bit].firstUse, question.creationDate)
        uses[bit].lastActivity = max(uses[bit].lastActivity, question.lastActivityDate)
      }
    }
    tagUses = uses.filter { $0.count > 0 }
  }

  func posts(_ kind: Post.Kind) -> [Post] { kind == .question ? questions : answers }

  func answers(toQuestionAt position: Int) -> [Int] { answersByQuestion[position] ?? [] }

  /// The positions of all posts, sorted so that the greatest comes first, and of equal ones the
  /// newest.
  func positions(_ kind: Post.Kind, by sort: QuestionSort) -> [Int] {
    let key = Order(kind: kind, sort: sort)
    if let order = orders[key] { return order }
    let posts = posts(kind)
    let oldest = sort.maximumAge.map { Self.now - $0 } ?? .min
    let order = sorted(posts.indices.filter { posts[$0].creationDate >= oldest }, kind, by: sort)
    orders[key] = order
    return order
  }

  /// Sorts some positions in the same way.
  func sorted(_ positions: [Int], _ kind: Post.Kind, by sort: QuestionSort) -> [Int] {
    let posts = posts(kind)
    return positions.map { (key: posts[$0].key(sort), position: $0) }
      .sorted { ($0.key, $0.position) > ($1.key, $1.position) }
      .map(\.position)
  }

  /// The positions of the posts that have one of some ids.
  func positions(_ kind: Post.Kind, of identifiers: [Int]) -> [Int] {
    identifiers.compactMap { position(of: $0, in: posts(kind)) }
  }

  /// The position of the post with an identifier, found by halving.
  private func position(of identifier: Int, in posts: [Post]) -> Int? {
    var (low, high) = (0, posts.count)
    while low < high {
      let middle = (low + high) / 2
      if posts[middle].identifier < identifier { low = middle + 1 } else { high = middle }
    }
    return low < posts.count && posts[low].identifier == identifier ? low : nil
  }

  /// The texts of a question, made when a search first looks into them.
  func text(ofQuestionAt position: Int) -> SearchedText {
    if let text = texts[position] { return text }
    let (title, body) = PostText.question(questions[position])
    let text = SearchedText(
      title: Array(HTMLText.encode(title).lowercased().utf8), body: Array(body().lowercased().utf8))
    texts[position] = text
    return text
  }
}

@available(*, unavailable)
extension SiteData: Sendable {}
