import OpshJSON
import Testing

@testable import PracticeServer

@Suite("The data of a site")
struct DatasetTests {
  @Test("Every tag has its own bit")
  func tags() {
    let named = Set(Topic.all.flatMap { [$0.tag] + $0.related })
    #expect(named == Set(Topic.tags))
  }

  @Test("The data set is consistent", arguments: [1, 2, 0xDEAD_BEEF] as [UInt64])
  func consistency(seed: UInt64) throws {
    let site = try #require(Site.named("stackoverflow"))
    let data = DatasetGenerator.generate(site: site, seed: seed)
    let identifiers = (data.questions.map(\.identifier) + data.answers.map(\.identifier))
    #expect(Set(identifiers).count == identifiers.count)
    #expect(data.questions.map(\.identifier) == data.questions.map(\.identifier).sorted())
    #expect(data.answers.map(\.identifier) == data.answers.map(\.identifier).sorted())
    for (position, question) in data.questions.enumerated() {
      let answers = data.answers(toQuestionAt: position).map { data.answers[$0] }
      #expect(answers.count == question.answerCount)
      #expect(answers.allSatisfy { $0.question == position })
      #expect(answers.allSatisfy { $0.creationDate > question.creationDate })
      #expect(answers.count { $0.isAccepted } == (question.acceptedAnswer == nil ? 0 : 1))
      if let accepted = question.acceptedAnswer {
        #expect(data.answers[accepted].isAccepted && data.answers[accepted].question == position)
      }
      #expect(question.lastActivityDate >= question.creationDate)
      #expect(question.lastActivityDate <= SiteData.now)
      for date in [question.lastEditDate, question.closedDate, question.protectedDate] {
        if let date { #expect(question.creationDate < date && date < SiteData.now) }
      }
      #expect(question.viewCount > question.score)
    }
    #expect(data.positions(.question, of: [data.questions[17].identifier, 5]) == [17])
  }

  @Test("Huge page numbers do not overflow")
  func pages() {
    #expect(Part(page: .max, size: 100).range(in: 7).isEmpty)
    #expect(!Part(page: .max, size: 100).hasMore(in: 7))
    #expect(Part(page: 2, size: 5).range(in: 7) == 5..<7)
    #expect(Part(page: 1, size: 0).hasMore(in: 1))
    #expect(Part(start: 3, size: .max).range(in: 7) == 3..<7)
    #expect(!Part(start: 3, size: .max).hasMore(in: 7))
  }

  @Test("The texts that data is made of are complete")
  func texts() {
    #expect(Site.all.count == 20 && Site.all.allSatisfy { $0.launchDate > 0 && $0.host != "" })
    #expect(
      Topic.all.allSatisfy {
        [$0.related, $0.code, $0.types, $0.actions, $0.errors].allSatisfy { $0.count > 2 }
      })
    #expect(Set(APIError.all.compactMap { $0["id"]?.double }).count == APIError.all.count)
  }
}
