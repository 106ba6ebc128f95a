import OpshNetworking
import Operations
import Testing
import OpshWebAPIs

/// An endpoint that only this file describes.
private enum Tags: StackExchangeEndpoint {
  enum Sort: String, CaseIterable, APIWord {
    case popular, activity, name
  }

  static let sort = APIParameter<Sort>("sort", default: .popular, option: "sort", help: "sort key")
  static let part = APIParameter<String?>(
    "inname", default: nil, option: "part", help: "only tags with this text in their name")

  static let name = "tags"
  static let parameters = StackExchange.parameters(sort: sort, part)
  static let discussion = ""
  static let examples: [(text: String, explanation: String)] = []
  static let columns: [APIColumn<APIRecord<Fields>>] = [
    .init("tag") { $0.name }, .init("questions", .trailing) { "\($0.count)" },
  ]

  struct Fields: APIFields {
    let name = APIField<String>("name")
    let count = APIField<Int>("count")
    let hasSynonyms = APIField<Bool?>("has_synonyms")
    static let list = APIFieldList(Fields())
  }
}

@Suite("A new endpoint", .timeLimit(.minutes(15)))
struct NewEndpointTests {
  @Test("A description is all that a client needs of an endpoint")
  func described() async throws {
    let client = try PracticeClient()
    defer { client.stop() }
    let manager = DataManager<PageFetchOperation<Tags>>(
      queue: client.place.queue, transport: client.place.transport,
      endpoint: try Endpoint(url: client.url), pacer: RequestPacer())
    var query = APIQuery<Tags>()
    query[Tags.sort] = .name
    query[Tags.part] = "s"
    query[StackExchange.order] = .ascending
    query[StackExchange.pagesize] = 3
    let operation = try manager.fetch(query: query)
    let page = try await operation.value
    #expect(operation.kind == "fetch tags")
    let names = page.items.map(\.name)
    #expect(names.count == 3 && names == names.sorted())
    #expect(names.allSatisfy { $0.contains("s") } && page.items.allSatisfy { $0.count > 0 })
    #expect(page.items.map { Tags.columns[0].text($0) } == names)
  }
}
