import TestSupport
import Testing
import OpshWebAPIs

@testable import PracticeServer

@Suite("The practice server and the descriptions of endpoints", .timeLimit(.minutes(15)))
struct DescriptionTests {
  /// A text for a parameter of an endpoint, and whether the description allows it.
  struct Case: Sendable, CustomTestStringConvertible {
    var endpoint: String
    var parameter: String
    var text: String
    var isAllowed: Bool
    var testDescription: String { "\(endpoint)?\(parameter)=\(text)" }
  }

  static let cases: [Case] = StackExchange.endpoints.flatMap { endpoint in
    endpoint.parameters.map(\.declaration).flatMap { parameter -> [Case] in
      // The site, the filter and the version are tested with the errors, ids with the lists.
      guard parameter.path == nil, parameter.separator == nil,
        !endpoint.root.contains(parameter.name)
      else { return [] }
      func testCase(_ text: String, _ isAllowed: Bool) -> Case {
        Case(
          endpoint: endpoint.path, parameter: parameter.name, text: text, isAllowed: isAllowed)
      }
      switch parameter.values {
      case .text: return []
      case .oneOf(let words):
        return words.map { testCase($0, true) } + [testCase("\(words[0])x", false)]
      case .integer(let range):
        var cases = [testCase("1", true), testCase("1x", false), testCase("1.5", false)]
        guard let range else { return cases + [testCase("-1", true)] }
        cases += [
          testCase("\(range.lowerBound - 1)", false), testCase("\(range.lowerBound)", true),
        ]
        if range.upperBound != .max {
          cases += [
            testCase("\(range.upperBound)", true), testCase("\(range.upperBound + 1)", false),
          ]
        }
        return cases
      }
    }
  }

  @Test("The server accepts what a description allows, and nothing else", arguments: cases)
  func parameter(_ testCase: Case) throws {
    let reply = try RawClient.Reply.get(
      "/2.3/\(testCase.endpoint)?site=stackoverflow&\(testCase.parameter)=\(testCase.text)",
      from: SharedServer.port)
    #expect(reply.status == (testCase.isAllowed ? 200 : 400))
    if !testCase.isAllowed {
      #expect(try reply.json().string("error_message") == testCase.parameter)
    }
  }

  @Test("Every endpoint of the client has a method on the server, which its description checks")
  func methods() throws {
    for endpoint in StackExchange.endpoints {
      let method = StackExchangeRoute(endpoint.path.split(separator: "/").map(String.init)[...])
        .method
      #expect(method?.endpoint == endpoint, "\(endpoint.path)")
    }
    let wrong = Parameters(["pagesize": "5", "todate": "1x"])
    #expect(throws: APIError.badParameter("todate")) { try wrong.check(Questions.parameters) }
    try Parameters(["pagesize": "5", "todate": "", "unknown": "x"]).check(Questions.parameters)
  }

  @Test("Every default of a description is the server's")
  func defaults() throws {
    for endpoint in StackExchange.endpoints {
      func items(_ query: String) throws -> [OrderedJSON] {
        try RawClient.Reply.get(
          "/2.3/\(endpoint.path)?site=stackoverflow\(query)", from: SharedServer.port
        ).json().items
      }
      let usual = try items("")
      for parameter in endpoint.parameters.map(\.declaration) {
        guard let standard = parameter.standard, parameter.initial == nil else { continue }
        #expect(try items("&\(parameter.name)=\(standard)") == usual, "\(parameter.name)")
      }
    }
  }

  @Test("Items have all required fields of their description, and no others than described")
  func fields() throws {
    for endpoint in StackExchange.endpoints { try checkFields(of: endpoint) }
  }

  private func checkFields<Endpoint: StackExchangeEndpoint>(of endpoint: Endpoint.Type) throws {
    func page(_ query: String) throws -> OrderedJSON {
      try RawClient.Reply.get(
        "/2.3/\(Endpoint.path)?site=stackoverflow&\(query)", from: SharedServer.port
      ).json()
    }
    let total = try #require(try page("filter=total").integer("total"))
    #expect(total > 0)
    let items = try (1...20).flatMap { number in
      try page("filter=withbody&pagesize=100&page=\(number)").items
    }
    #expect(items.count == min(total, 2_000))
    let fields = Endpoint.Fields.list.all
    let required = Set(fields.filter(\.isRequired).map(\.name))
    var sent: Set<String> = []
    for item in items {
      #expect(required.isSubset(of: item.keys))
      sent.formUnion(item.keys)
    }
    // No answer of the practice server is locked.
    let unsent: Set = Endpoint.name == Answers.name ? ["locked_date"] : []
    #expect(sent == Set(fields.map(\.name)).subtracting(unsent))
  }
}
