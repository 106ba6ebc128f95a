import Foundation
import OpshLocking
import Operations
import ShellLanguage
import Testing

@testable import ShellSession

@Suite("Registries of operations and queues")
struct OperationRegistryTests {
  private let registry = OperationRegistry()
  private let engine = OperationEngine()

  private func add(_ name: String) -> DelayOperation {
    let operation = DelayOperation(name: name, duration: .zero, engine: engine)
    registry.add(
      operation,
      origin: .init(source: SourceText(name: "test", text: "delay"), range: SourceRange(0, 5)))
    return operation
  }

  @Test("A duration in place of an operation: the help names 'sleep' and '--timeout'")
  func duration() throws {
    let error = try ShellFixture().error(of: "wait 5s")
    #expect(error.code == "unknown-operation")
    #expect(error.help?.contains("'sleep 5s'") == true, "\(error)")
    #expect(error.help?.contains("'--timeout 5s'") == true)
    let other = try ShellFixture().error(of: "why network")
    #expect(other.help == "'network' is a queue: 'queue show network' shows it")
  }

  @Test("Automatic names are the last word of the kind and a counter")
  func counters() throws {
    #expect(try registry.reserveName(nil, kind: "fetch questions") == "questions-1")
    #expect(try registry.reserveName(nil, kind: "fetch questions") == "questions-2")
    #expect(try registry.reserveName(nil, kind: "delay") == "delay-1")
    #expect(try registry.reserveName("delay-2", kind: "delay") == "delay-2")
    #expect(try registry.reserveName(nil, kind: "delay") == "delay-3", "a taken one is left out")
  }

  @Test(
    "Invalid names are rejected",
    arguments: [
      "", "1a", "-a", "_a", "a b", "a.b", "a,b", "a*", "a/b", "é!", "\u{1B}", "a\n",
    ])
  func malformed(_ name: String) {
    #expect(throws: UnplacedError.self) { try registry.reserveName(name, kind: "delay") }
  }

  @Test(
    "Names contain letters, digits, hyphens and underscores",
    arguments: [
      "a", "a1", "a-b_c", "É", "名前", "questions-1",
    ])
  func wellFormed(_ name: String) throws {
    #expect(try registry.reserveName(name, kind: "delay") == name)
  }

  @Test(
    "Reserved and used names are rejected, and a released name is free",
    arguments: [
      "all", "last", "on", "off", "main", "queue",
    ])
  func reserved(_ name: String) throws {
    #expect(throws: UnplacedError.self) { try registry.reserveName(name, kind: "delay") }
    _ = try registry.reserveName("mine", kind: "delay")
    #expect(throws: UnplacedError.self) { try registry.reserveName("mine", kind: "delay") }
    registry.releaseName("mine")
    _ = try registry.reserveName("mine", kind: "delay")
    _ = add("mine")
    registry.releaseName("mine")
    #expect(throws: UnplacedError.self) { try registry.reserveName("mine", kind: "delay") }
  }

  @Test("Two threads never get the same name")
  func threads() {
    let names = Locked<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<200 {
        guard let name = try? registry.reserveName(nil, kind: "delay") else { continue }
        if number % 3 == thread % 3 {
          registry.releaseName(name)
        } else {
          names.withLock { $0.append(name) }
        }
      }
    }
    let all = names.withLock { $0 }
    #expect(all.count > 1000)
    #expect(Set(all).count == all.count)
  }

  @Test("Operations are found by id and name, in the order they were built")
  func lookUp() {
    let first = add("first")
    let second = add("second")
    #expect(registry.operation(id: first.id) === first)
    #expect(registry.operation(named: "second") === second)
    #expect(registry.operation(named: "third") == nil)
    #expect(registry.all.map(\.name) == ["first", "second"])
    #expect(registry.last === second)
    #expect(registry.added(after: 1).map(\.name) == ["second"])
    #expect(registry.added(after: 5).isEmpty)
    #expect(registry.count == 2)
    #expect(registry.origin(of: first)?.range == SourceRange(0, 5))
  }

  @Test("A hold is released once")
  func holds() {
    let queue = InspectableQueue(name: "q", maxConcurrentOperationCount: 1, engine: engine)
    let operation = add("held")
    registry.hold(operation, for: queue)
    #expect(registry.held(for: queue).map(\.id) == [operation.id])
    #expect(registry.hold(of: operation)?.queue === queue)
    registry.releaseHold(of: operation)
    #expect(registry.hold(of: operation) == nil)
    #expect(registry.held(for: queue).isEmpty)
  }

  @Test("Queue names are unique; removing the queue in use selects the default queue")
  func queues() throws {
    let queues = QueueRegistry(engine: engine) { work in work() }
    #expect(queues.inUse.name == "network")
    #expect(queues.inUse.maxConcurrentOperationCount == 2)
    let slow = try queues.make(name: "slow", width: 1)
    #expect(throws: UnplacedError.self) { try queues.make(name: "slow", width: 1) }
    #expect(throws: UnplacedError.self) { try queues.make(name: "unlimited", width: 1) }
    #expect(throws: UnplacedError.self) { try queues.make(name: "a b", width: 1) }
    queues.use(slow)
    queues.remove(slow)
    #expect(queues.inUse.name == "network")
    #expect(queues.names == ["network", "system", "main"])
    #expect(queues.queue(named: "slow") == nil)
  }

  @Test(
    "Words select operations",
    arguments: [
      ("1", ["one"]), ("1-2", ["one", "two"]), ("t*", ["two", "three"]),
      ("last", ["three"]), ("all", ["one", "two", "three"]),
      ("two,one", ["one", "two"]),
      ("one one 1", ["one"]), ("2-9 one", ["one", "two", "three"]),
    ])
  func selection(_ text: String, _ expected: [String]) throws {
    let fixture = try ShellFixture(
      "queue pause; delay 1s --name one; delay 1s --name two; delay 1s --name three")
    let value = try fixture.run("ops \(text) > /dev/null")
    guard case .list(let found) = value else {
      Issue.record("'ops' gives a list")
      return
    }
    #expect(found.map(\.text) == expected)
  }

  @Test(
    "A word that selects nothing is an error with help",
    arguments: [
      ("cancel twoo", "did you mean 'two'?"), ("ops redy", "did you mean 'ready'?"),
      ("cancel 9", "'ops' lists all 3"),
      ("cancel x*", "'ops' lists the operations"), ("cancel ,,", "'ops' lists the operations"),
    ])
  func unknown(_ text: String, _ help: String) throws {
    let fixture = try ShellFixture(
      "queue pause; delay 1s --name one; delay 1s --name two; delay 1s --name three")
    let error = #expect(throws: Diagnostic.self) { try fixture.run(text) }
    #expect(error?.code == "unknown-operation")
    #expect(error?.help == help)
    #expect(error?.column == text.prefix { $0 != " " }.count + 2)
  }

  @Test(
    "Of several words the error marks the one that selects nothing",
    arguments: ["cancel one zzz", "show one two zzz", "deps one on two zzz", "ops one zzz"])
  func unknownOfSeveral(_ text: String) throws {
    let fixture = try ShellFixture("delay 1s --name one --hold; delay 1s --name two --hold")
    let error = #expect(throws: Diagnostic.self) { try fixture.run(text) }
    #expect(error?.column == text.count - 2)
  }
}
