@testable import PracticeServer
import Testing

@Suite("Parts of the practice server")
struct PartsTests {
  @Test("Timers come out by time, and in the order of insertion at the same time")
  func timers() {
    var heap = TimerHeap<Int>()
    var random = RandomSource(seed: 9)
    var expected: [(time: UInt64, value: Int)] = []
    for value in 0..<500 {
      let time = UInt64(random.below(60))
      heap.insert(value, at: time)
      expected.append((time, value))
    }
    expected.sort { ($0.time, $0.value) < ($1.time, $1.value) }
    #expect(heap.nextDeadline == expected[0].time)
    var values: [Int] = []
    for now in 0..<60 as Range<UInt64> {
      while let value = heap.removeNext(dueAt: now) { values.append(value) }
      #expect(heap.nextDeadline.map { $0 > now } ?? true)
    }
    #expect(values == expected.map(\.value))
    #expect(heap.removeNext(dueAt: .max) == nil)
  }

  @Test(
    "Text is encoded as the service does",
    arguments: [
      ("a < b && c > \"d\"", "a &lt; b &amp;&amp; c &gt; &quot;d&quot;"),
      ("Don't", "Don&#39;t"), ("François", "Fran&#231;ois"),
      ("Novák Tomáš", "Nov&#225;k Tom&#225;š"),
      ("美咲", "美咲"), ("", ""),
    ])
  func encoding(plain: String, encoded: String) {
    #expect(HTMLText.encode(plain) == encoded)
  }

  @Test(
    "Links end in a slug",
    arguments: [
      ("Why can't I use \"<T>\"?", "why-cant-i-use-t"), ("  C++ & C#  ", "c-c"),
      ("Weiß", "wei%c3%9f"), ("", ""), ("???", ""),
    ])
  func slugs(plain: String, slug: String) {
    #expect(HTMLText.slug(plain) == slug)
    #expect(HTMLText.slug(String(repeating: "ab ", count: 100)).utf8.count <= 82)
  }

  @Test("The writer escapes what JSON requires")
  func json() throws {
    var json = JSONWriter()
    let text = "q\" b\\ n\n r\r t\t \u{1} \u{7F} é 😀"
    json.beginObject()
    json.field("text", text)
    json.field("least", Int.min)
    json.key("list")
    json.beginArray()
    json.integer(0)
    json.thousandths(1_005)
    json.beginObject()
    json.endObject()
    json.endArray()
    json.endObject()
    let parsed = try OrderedJSON(parsing: String(decoding: json.bytes, as: UTF8.self))
    #expect(parsed.string("text") == text)
    #expect(parsed.integer("least") == Int.min)
    #expect(parsed["list"] == .array([.integer(0), .fraction(1.005), .object([])]))
  }

  @Test("All tags have a bit")
  func tags() {
    let named = Set(Topic.all.flatMap { [$0.tag] + $0.related })
    #expect(named == Set(Topic.tags))
  }

  @Test("The data agrees with itself", arguments: [1, 2, 0xDEAD_BEEF] as [UInt64])
  func consistency(seed: UInt64) throws {
    let site = try #require(Site.named("stackoverflow"))
    let data = DatasetGenerator.generate(site: site, seed: seed)
    let identifiers = (data.questions.map(\.identifier) + data.answers.map(\.identifier))
    #expect(Set(identifiers).count == identifiers.count)
    #expect(data.questions.map(\.identifier) == data.questions.map(\.identifier).sorted())
    #expect(data.answers.map(\.identifier) == data.answers.map(\.identifier).sorted())
    for (position, question) in data.questions.enumerated() {
      let answers = data.answers(toQuestionAt: position).map { data.answers[Int($0)] }
      #expect(answers.count == question.answerCount)
      #expect(answers.allSatisfy { $0.question == position })
      #expect(answers.allSatisfy { $0.creationDate > question.creationDate })
      #expect(answers.count { $0.isAccepted } == (question.acceptedAnswer == nil ? 0 : 1))
      if let accepted = question.acceptedAnswer {
        #expect(data.answers[accepted].isAccepted && data.answers[accepted].question == position)
      }
      #expect(question.lastActivityDate >= question.creationDate)
      #expect(question.lastActivityDate <= Dataset.now)
      for date in [question.lastEditDate, question.closedDate, question.protectedDate] {
        if let date { #expect(question.creationDate < date && date < Dataset.now) }
      }
      #expect(question.viewCount > question.score)
    }
    #expect(Dataset.position(of: data.questions[17].identifier, in: data.questions) == 17)
    #expect(Dataset.position(of: 5, in: data.questions) == nil)
  }

  @Test("Pages do not overflow")
  func pages() {
    #expect(Page(number: .max, size: 100).range(in: 7).isEmpty)
    #expect(!Page(number: .max, size: 100).hasMore(in: 7))
    #expect(Page(number: 2, size: 5).range(in: 7) == 5..<7)
    #expect(Page(number: 1, size: 0).hasMore(in: 1))
  }
}
