import Foundation
import TestSupport
import Testing

/// System 1, "Wingman": an Objective-C networking layer, with answers.
@Suite("Answers", .timeLimit(.minutes(15)))
struct AnswersLayerTests {
  private let system: SystemScript

  init() throws {
    system = try SystemScript()
  }

  @Test("Ready, executing and finished are each announced once, by key path")
  func flags() throws {
    let lines = try system.lines(
      """
      delay 5ms --name first --hold
      fetch answers --pagesize 1 --after first --name 'mine' --hold
      observe mine isReady isExecuting isFinished --options old,new
      start first mine; wait
      cancel mine
      """)
    #expect(
      lines.changes(of: "mine") == [
        "isReady false → true", "isReady true → false", "isExecuting false → true",
        "isExecuting true → false", "isFinished false → true",
      ])
  }

  @Test("Setting a flag to its present value announces nothing")
  func redundant() throws {
    let lines = try system.lines(
      """
      queue pause
      fetch answers --pagesize 1
      observe answers-1 isCancelled queuePriority --options old,new
      cancel answers-1; cancel answers-1
      priority answers-1 normal
      queue resume; wait --any-outcome
      """)
    #expect(lines.changes(of: "answers-1") == ["isCancelled false → true"])
  }

  @Test(
    "Start checks for cancellation first, and a cancelled operation finishes")
  func cancelledBeforeStart() throws {
    let lines = try system.lines(
      """
      queue pause; fetch answers; cancel answers-1; queue resume; wait --any-outcome
      expect (answers-1.outcome == cancelled and answers-1.started == null)
      server log
      """)
    #expect(lines.states(of: "answers-1") == ["pending", "ready", "finished"])
    #expect(!lines.contains { $0.type == "request" }, "no request was sent")
  }

  @Test("An operation can start and finish only once")
  func startedOnce() throws {
    let lines = try system.lines(
      """
      fetch answers --pagesize 1 --hold
      start 1
      try { start 1 } catch e { echo "refused: $e.code" }
      cancel 1; wait 1 --any-outcome; cancel 1
      try { start 1 } catch e { echo "refused: $e.code" }
      """)
    #expect(
      lines.messages == [
        "refused: already-started", "answers-1 has already finished: ⊘ cancelled",
        "refused: already-started",
      ])
    #expect(lines.states(of: "answers-1").count { $0 == "finished" } == 1)
  }

  @Test(
    "An operation is asynchronous, and ready after its condition and its dependencies are met")
  func ready() throws {
    let outcome = try system.text(
      """
      set clock virtual
      delay 5ms --name first
      fetch answers --pagesize 1 --after first --delay 2s
      echo before; show answers-1
      wait
      echo after; show answers-1
      expect (first.finished < answers-1.ready)
      expect (answers-1.ready >= answers-1.created + 2)
      """)
    let halves = outcome.output.components(separatedBy: "after\n")
    try #require(halves.count == 2)
    #expect(halves[0].contains("isAsynchronous") && !halves[0].contains("isReady"))
    #expect(halves[0].contains("depends on  first"))
    #expect(halves[1].contains("flags       isFinished isAsynchronous"))
  }

  @Test(
    "An Answers-Retrieval operation requests /2.2/answers or /2.3/answers and parses the response")
  func retrieval() throws {
    let lines = try system.lines(
      """
      fetch answers --version 2.2 --pagesize 4 --name Answers-Retrieval
      fetch answers --pagesize 2
      wait
      expect (Answers-Retrieval.url matches '*/2.2/answers?site=stackoverflow*')
      expect (answers-1.url matches '*/2.3/answers?site=stackoverflow*')
      expect (Answers-Retrieval.items == 4)
      result Answers-Retrieval
      """)
    let value = lines.first { $0.type == "result" }?.object("value")
    let items = value?["items"] as? [[String: Any]] ?? []
    #expect(items.count == 4 && items.allSatisfy { $0["answer_id"] is Int })
  }

  @Test(
    "The completion handler receives the answers before the operation finishes, as the log shows"
  )
  func completion() throws {
    let lines = try system.lines(
      """
      fetch answers --pagesize 3 --completion --hold
      on answers-1 finished { echo "${$self.result.items[2].answer_id} of $self.items" }
      start answers-1; wait
      log answers-1
      """)
    #expect(lines.messages.first?.hasSuffix(" of 3") == true)
    let reasons = lines.reasons(of: "answers-1").suffix(2)
    #expect(reasons.first == "the completion handler is called with the value")
    #expect(reasons.last?.hasPrefix("3 answers, ") == true)
    let recorded = lines.filter { $0.type == "record" }.compactMap {
      $0.object("transition")["to"] as? String
    }
    #expect(recorded == ["pending", "ready", "executing", "executing", "finished"])
  }

  @Test("All operations run on queues; system work and user work are separate")
  func queues() throws {
    let outcome = try system.text(
      """
      queue route answers system
      fetch answers --pagesize 1; fetch questions --pagesize 1; wait
      expect (answers-1.queue == system and questions-1.queue == network)
      queue; queue route
      """)
    #expect(outcome.output.contains(#/(?m)^ *\*? *network /#))
    #expect(outcome.output.contains(#/(?m)^ *system /#))
    #expect(outcome.output.contains(#/(?m)^answers +system$/#))
  }

  @Test("A caller receives answers in a callback and needs no operation")
  func callback() throws {
    let outcome = try system.text(
      """
      def answers-for question {
        let asked = fetch answers --question $question --pagesize 5
        wait $asked
        return $asked.result.items
      }
      fetch questions --sort votes --pagesize 1; wait
      let found = answers-for (questions-1.result.items[0].question_id)
      for answer in $found { echo "by $answer.owner.display_name" }
      """)
    #expect(outcome.output.contains("by "))
  }

  @Test("The states pending, ready, executing, finished, cancelled have these names")
  func names() throws {
    let lines = try system.lines(
      """
      queue pause; fetch answers --name a; fetch answers --after a --name b
      expect (a.state == ready and b.state == pending)
      cancel b; expect (b.cancelled and b.state == ready)
      queue resume; wait --any-outcome
      expect (a.state == finished and a.outcome == succeeded and b.outcome == cancelled)
      """)
    #expect(lines.states(of: "a") == ["pending", "ready", "executing", "finished"])
  }

  @Test("A body that does not end blocks the queue; cancelling does not stop it")
  func jam() throws {
    let outcome = try system.text(
      """
      set clock virtual
      queue width 1
      block --name forgetful { while (not $self.cancelled) { sleep 5ms }; sleep 60ms }
      fetch answers --pagesize 1
      expect (forgetful.state == executing) within 10s
      why answers-1
      cancel forgetful
      expect (forgetful.state == executing and forgetful.cancelled)
      wait --any-outcome
      expect (answers-1.outcome == succeeded and forgetful.finished <= answers-1.started)
      """)
    #expect(outcome.output.contains("queue 'network' is full: 'forgetful' holds its slot"))
  }

  @Test("A body is done when it returns, a request when the response has arrived")
  func kinds() throws {
    let outcome = try system.text(
      """
      block --name body { echo "in the body of $self.name"; (3 + 4) }
      fetch answers --pagesize 1
      wait
      result body
      ops
      """)
    #expect(outcome.output.contains("in the body of body\n"))
    #expect(outcome.output.contains("7\n"))
    #expect(outcome.output.contains(/answers-1 +fetch answers/))
  }
}
