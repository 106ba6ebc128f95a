import Testing

@testable import SessionServer

@Suite("Actions of a page", .timeLimit(.minutes(1)))
struct LiveActionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let action: LiveAction
    var testDescription: String { text }

    init(_ text: String, _ action: LiveAction) {
      self.text = text
      self.action = action
    }
  }

  @Test(
    "An action is read from JSON",
    arguments: [
      Case(#"{"action":"pause","queue":"network"}"#, .pause(queue: "network")),
      Case(#"{"queue":"a b","action":"resume"}"#, .resume(queue: "a b")),
      Case(#"{"action":"step","queue":"q"}"#, .step(queue: "q")),
      Case(#"{"action":"width","queue":"q","value":0}"#, .width(queue: "q", 0)),
      Case(#"{"action":"width","queue":"q","value":"unlimited"}"#, .width(queue: "q", nil)),
      Case(#"{"action":"pace","queue":"q","value":0}"#, .pace(queue: "q", milliseconds: 0)),
      Case(#"{"action":"pace","queue":"q","value":0.25}"#, .pace(queue: "q", milliseconds: 250)),
      Case(#"{"action":"pace","queue":"q","value":1e-9}"#, .pace(queue: "q", milliseconds: 1)),
      Case(
        #"{"action":"priority","operation":3,"value":"veryHigh"}"#,
        .priority(operation: 3, .veryHigh)),
      Case(#"{"action":"cancel","operation":1}"#, .cancel(operation: 1)),
      Case(#"{"action":"finish","operation":7}"#, .finish(operation: 7)),
      Case(#"{"action":"next"}"#, .next),
    ])
  func reads(_ one: Case) throws {
    #expect(try LiveAction(parsing: Array(one.text.utf8)) == one.action)
  }

  @Test(
    "What is not exactly an action is refused",
    arguments: [
      "", "null", "[]", "{}", "\"pause\"", #"{"action":"pause"}"#, #"{"queue":"network"}"#,
      #"{"action":1,"queue":"network"}"#, #"{"action":"quit"}"#, #"{"action":"!sh","queue":"a"}"#,
      #"{"action":"Pause","queue":"network"}"#, #"{"action":"pause","queue":""}"#,
      #"{"action":"pause","queue":1}"#, #"{"action":"pause","queue":["a"]}"#,
      #"{"action":"pause","queue":"a","value":1}"#, #"{"action":"pause","queue":"a","x":1}"#,
      #"{"action":"pause","action":"resume","queue":"a"}"#,
      #"{"action":"pause","queue":"a","queue":"b"}"#, #"{"action":"pause","queue":"a"} x"#,
      #"{"action":"width","queue":"a"}"#, #"{"action":"width","queue":"a","value":-1}"#,
      #"{"action":"width","queue":"a","value":1.5}"#,
      #"{"action":"width","queue":"a","value":"3"}"#,
      #"{"action":"width","queue":"a","value":1e400}"#,
      #"{"action":"width","queue":"a","value":99999999999}"#,
      #"{"action":"width","queue":"a","value":true}"#,
      #"{"action":"width","queue":"a","value":"auto; quit"}"#,
      #"{"action":"pace","queue":"a","value":-1}"#, #"{"action":"pace","queue":"a","value":1e400}"#,
      #"{"action":"pace","queue":"a","value":"1s"}"#,
      #"{"action":"pace","queue":"a","value":86401}"#,
      #"{"action":"next","value":2}"#, #"{"action":"cancel","operation":0}"#,
      #"{"action":"cancel","operation":-3}"#,
      #"{"action":"cancel","operation":"all"}"#, #"{"action":"cancel","operation":1.5}"#,
      #"{"action":"cancel","operation":99999999999999999999}"#, #"{"action":"cancel","queue":"a"}"#,
      #"{"action":"priority","operation":1,"value":"highest"}"#,
      #"{"action":"priority","operation":1}"#, #"{"action":"finish","operation":1,"value":2}"#,
      #"{"action":"pause","queue":{"a":{"b":{"c":{"d":1}}}}}"#,
    ])
  func refuses(_ text: String) {
    #expect(throws: LiveActionError.self) { try LiveAction(parsing: Array(text.utf8)) }
  }

  @Test("A name that is too long, or not UTF-8, is refused")
  func hostileNames() {
    let long = String(repeating: "a", count: 1001)
    #expect(throws: LiveActionError.self) {
      try LiveAction(parsing: Array(#"{"action":"pause","queue":"\#(long)"}"#.utf8))
    }
    let broken = Array(#"{"action":"pause","queue":""#.utf8) + [0xC3, 0x28] + Array("\"}".utf8)
    // A text that is not UTF-8 names no queue: what is broken becomes a replacement character.
    if case .pause(let queue)? = try? LiveAction(parsing: broken) { #expect(queue != "") }
  }
}
