import Foundation
import OpshLocking
import ShellLanguage
import Testing

@testable import Operations
@testable import ShellSession

@Suite("Bytes kept by finished operations", .timeLimit(.minutes(15)))
struct KeptSizeTests {
  /// Builds, registers and runs operations one after the other, as a script does.
  private func run(
    _ count: Int, in fixture: ShellFixture,
    _ body: @escaping @Sendable () throws -> (any Sendable)?
  ) throws {
    let session = fixture.session
    let queue = InspectableQueue(
      name: "bytes", maxConcurrentOperationCount: 1, engine: session.jobs.engine)
    let origin = OperationRegistry.Origin(
      source: SourceText(name: "test", text: ""), range: SourceRange(0, 0))
    for number in 1...count {
      let operation = BlockingOperation(name: "op-\(number)", engine: session.jobs.engine) { _ in
        try body()
      }
      session.jobs.operations.add(operation, origin: origin)
      try queue.addOperation(operation)
    }
    queue.waitUntilAllOperationsAreFinished()
    session.screen.feed.drain()
  }

  @Test("Of sixty bodies of 10 MB the latest six are kept by default (64 MB)")
  func bodies() throws {
    let fixture = try ShellFixture()
    let body = Value.string(String(repeating: "x", count: 10_000_000))
    try run(60, in: fixture) { body }
    let all = fixture.session.jobs.operations.all
    #expect(all.count == 60, "the operations themselves stay")
    #expect(all.filter { $0.resultValue != nil }.map(\.id) == [55, 56, 57, 58, 59, 60])
    #expect(fixture.session.jobs.operations.keptSize == KeptSize(value: 60_000_000))
    let error = try fixture.error(of: "result op-1")
    #expect(error.code == "value-dropped")
    #expect(error.help?.contains("'set keep 128MB'") == true)
    #expect(error.help?.contains("'let v = (op-1.result)'") == true)
    #expect(try fixture.text("(op-1.outcome)") == "succeeded")
    #expect(try fixture.text("(length(op-60.result))") == "10000000")
  }

  @Test(
    "Of a hundred thousand errors of 2 kB, 64 MB are kept by default, a quarter of it in the log")
  func errors() throws {
    let session = try ShellFixture().session
    let registry = session.jobs.operations
    let origin = OperationRegistry.Origin(
      source: SourceText(name: "test", text: ""), range: SourceRange(0, 0))
    for _ in 0..<100 {
      let failing = (0..<1000).map { _ in HeldOperation(engine: session.jobs.engine) }
      for operation in failing {
        registry.add(operation, origin: origin)
        // Each has a text of its own, as error messages have.
        let message = String(repeating: "e", count: 2000 - 6) + String(format: "%06d", operation.id)
        operation.finish(.failure(OperationFailure(code: "no", message: message)))
      }
      let queue = InspectableQueue(name: "errors", engine: session.jobs.engine)
      try queue.addOperations(failing, waitUntilFinished: true)
      session.screen.feed.drain()
    }
    #expect(registry.count == 100_000)
    #expect(registry.all.count == 32_000)
    #expect(registry.keptSize == KeptSize(text: 64_000_000))
    #expect(session.jobs.engine.state.withLock { $0.entries.textBytes } <= 16_000_000)
    #expect(registry.all.allSatisfy { $0.outcome?.failure?.message.utf8.count == 2000 })
    let newest = try #require(
      session.jobs.engine.log.entries(from: session.jobs.engine.log.count - 1, limit: 1).entries
        .last)
    #expect(newest.reason.utf8.count == "no: ".count + 2000, "the log shares the text")
  }

  /// Ends with a predefined result.
  private final class HeldOperation: ConcurrentOperation<Int>, @unchecked Sendable {
    // @unchecked because the superclass is, and this class adds nothing.
  }

  @Test("A value is kept until all dependents of its operation have finished")
  func needed() throws {
    let fixture = try ShellFixture()
    try run(1, in: fixture) { Value.string(String(repeating: "a", count: 900)) }
    try fixture.run(
      "let seen = 0; block --name user --after op-1 --hold { (length($input.first)) }")
    try fixture.run("set keep 1kB")
    try run(named: "b", in: fixture)
    #expect(try fixture.text("(length(op-1.result))") == "900", "it is needed")
    try fixture.run("start user; wait user")
    #expect(try fixture.text("(user.result)") == "900")
    try run(named: "c", in: fixture)
    #expect(try fixture.error(of: "(op-1.result)").code == "value-dropped")
    #expect(try fixture.error(of: "(b.result)").code == "value-dropped")
    #expect(try fixture.text("(length(c.result))") == "900")
  }

  private func run(named name: String, in fixture: ShellFixture) throws {
    let engine = fixture.session.jobs.engine
    let operation = BlockingOperation(name: name, engine: engine) { _ in
      Value.string(String(repeating: "a", count: 900))
    }
    fixture.session.jobs.operations.add(
      operation,
      origin: .init(source: SourceText(name: "test", text: ""), range: SourceRange(0, 0)))
    try InspectableQueue(name: name, engine: engine).addOperations(
      [operation], waitUntilFinished: true)
    fixture.session.screen.feed.drain()
  }

  @Test(
    "Reading a dropped value is an error, never null",
    arguments: [
      "result gone", "result gone --json", "(gone.result)", "let v = (gone.result)",
      "let v = $held.result", "echo \"it is ${gone.result}\"", "expect (gone.result == null)",
      "ops --where (result == null)", "(count of ops where result == null)",
    ])
  func reading(_ statement: String) throws {
    let fixture = try ShellFixture("set keep 1kB")
    try run(named: "gone", in: fixture)
    try fixture.run("let held = show gone")
    try run(named: "kept", in: fixture)
    let error = try fixture.error(of: statement)
    #expect(error.code == "value-dropped", "\(error.message)")
    #expect(error.message.contains("'gone'"))
  }

  @Test("A body that reads '$input' fails if a value was dropped; other bodies run")
  func input() throws {
    let fixture = try ShellFixture("set keep 1kB")
    try run(named: "gone", in: fixture)
    try run(named: "kept", in: fixture)
    try fixture.run(
      "block --name reads --after gone,kept { (length($input)) }; block --name only --after gone { }"
    )
    try fixture.run("wait --any-outcome")
    let failure = try #require(try fixture.operation("reads").outcome?.failure)
    #expect(failure.message.contains("the value of 'gone' was dropped"))
    #expect(try fixture.outcome(of: "only") == "succeeded")
  }

  @Test("A variable keeps the operation; it keeps the value only if it holds the value")
  func variables() throws {
    let fixture = try ShellFixture("set keep 1kB")
    try run(named: "gone", in: fixture)
    try fixture.run("let value = (gone.result)")
    try run(named: "kept", in: fixture)
    #expect(try fixture.text("(length($value))") == "900")
  }

  @Test("Program output and error responses count and are dropped like values")
  func otherValues() throws {
    let fixture = try ShellFixture("queue width 1")
    try fixture.run("run --name first sh -c \"head -c 900 /dev/zero\"; wait")
    #expect(fixture.session.jobs.operations.keptSize.value == 900)
    try fixture.run("get /nowhere --name refused; wait --any-outcome")
    #expect(fixture.session.jobs.operations.keptSize.value > 900)
    #expect(fixture.session.jobs.operations.keptSize.text > 0)
    try fixture.run("run --name third sh -c \"head -c 950 /dev/zero\"; wait; set keep 1kB")
    #expect(fixture.session.jobs.operations.keptSize.value == 950)
    #expect(try fixture.error(of: "result first").code == "value-dropped")
    #expect(try fixture.error(of: "(refused.refusal)").code == "value-dropped")
    #expect(try fixture.error(of: "result refused").help?.contains("set keep") == true)
    #expect(try fixture.text("(refused.status)") == "404")
  }

  @Test(
    "'set keep' takes a number, a size, or both in any order",
    arguments: [
      ("1000", "1000 64MB"), ("64kB", "100000 64kB"), ("1000 16MB", "1000 16MB"),
      ("16MB 1000", "1000 16MB"), ("unlimited", "unlimited unlimited"),
      ("unlimited 1MB", "unlimited 1MB"), ("7 unlimited", "7 unlimited"), ("0 0B", "0 0B"),
    ])
  func syntax(_ words: String, _ shown: String) throws {
    let fixture = try ShellFixture("set keep \(words)")
    #expect(try fixture.output(of: "set keep") == [shown])
    try fixture.run("set keep \(shown)")
    #expect(try fixture.output(of: "set keep") == [shown], "what it shows sets the same")
  }

  @Test("Two limits of one kind are an error", arguments: ["10 20", "1MB 2MB", "1 2MB 3"])
  func contradiction(_ words: String) throws {
    let fixture = try ShellFixture()
    #expect(try fixture.error(of: "set keep \(words)").code == "bad-limit")
    #expect(try fixture.output(of: "set keep") == ["100000 64MB"], "nothing has changed")
  }
}

@Suite("Order in which values are dropped") struct KeptSizesTests {
  @Test("The oldest value is dropped first, the newest stays, and texts are dropped with records")
  func order() {
    var sizes = KeptSizes()
    for id in 1...4 { sizes.add(id, KeptSize(value: 10, text: id)) }
    #expect(sizes.total == KeptSize(value: 40, text: 10))
    #expect(sizes.nextValue(beyond: 50) == nil)
    for id in 1...3 {
      #expect(sizes.nextValue(beyond: 5) == id)
      sizes.valueDropped(id)
    }
    #expect(sizes.nextValue(beyond: 5) == nil, "the newest stays")
    #expect(sizes.total == KeptSize(value: 10, text: 10))
    #expect(sizes.nextRecord(beyond: 10) == nil)
    #expect(sizes.nextRecord(beyond: 9) == 1)
    sizes.remove(1)
    #expect(sizes.total == KeptSize(value: 10, text: 9))
    sizes.add(5, KeptSize(value: 1))
    #expect(sizes.nextValue(beyond: 5) == 4, "another one is the newest now")
  }

  @Test("A value with dependents becomes a candidate again after they have finished")
  func awaited() {
    var sizes = KeptSizes()
    for id in 1...3 { sizes.add(id, KeptSize(value: 10)) }
    #expect(sizes.nextValue(beyond: 0) == 1)
    sizes.hold(1, for: 2)
    #expect(sizes.nextValue(beyond: 0) == 2)
    sizes.valueDropped(2)
    #expect(sizes.nextValue(beyond: 0) == nil)
    sizes.dependentFinished(of: 1)
    #expect(sizes.nextValue(beyond: 0) == nil)
    sizes.dependentFinished(of: 1)
    #expect(sizes.nextValue(beyond: 0) == 1)
    sizes.hold(1, for: 5)
    sizes.forgetAwaited()
    #expect(sizes.nextValue(beyond: 0) == 1)
  }
}
