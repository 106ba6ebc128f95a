import Foundation
import Operations
import Testing

/// What Foundation's spelling cannot throw is at least in the log.
@Suite(.timeLimit(.minutes(15))) struct RefusedSilentlyTests {
  private func refusals(_ bench: Bench) -> [String] {
    bench.entries.filter { $0.event == .refusal }.map { entry in
      #expect(entry.from == entry.to && entry.outcome == nil)
      return "\(entry.operation.name) \(entry.from.rawValue): \(entry.reason)"
    }
  }

  @Test("A refused addDependency logs an entry with the reason")
  func addDependency() throws {
    let (bench, elsewhere) = (Bench(), Bench())
    let (a, b, c) = (bench.held("a"), bench.held("b"), bench.held("c"))
    let stranger = elsewhere.held("stranger")
    a.addDependency(b)
    b.addDependency(c)
    #expect(refusals(bench).isEmpty)
    c.addDependency(a)
    a.addDependency(a)
    a.addDependency(stranger)
    #expect(
      refusals(bench) == [
        "c created: dependency refused: the dependency would close a cycle: c → a → b → c",
        "a created: dependency refused: 'a' cannot depend on itself",
        "a created: dependency refused: 'a' and 'stranger' keep different logs and cannot depend "
          + "on each other",
      ])
    #expect(a.upstream.map(\.operation.displayName) == ["b"] && c.upstream.isEmpty)
    #expect(elsewhere.entries.isEmpty)
  }

  @Test("Adding or removing a dependency too late logs an entry")
  func tooLate() throws {
    let bench = Bench()
    let (a, b) = (bench.held("a"), bench.held("b"))
    try b.depend(on: a)
    try bench.queue().addOperations([a, b], waitUntilFinished: false)
    #expect(a.waitUntilBegun())
    a.finish(.success(1))
    #expect(b.waitUntilBegun())
    b.addDependency(bench.held("c"))
    b.removeDependency(a)
    b.finish(.success(1))
    finish(b)
    #expect(
      refusals(bench) == [
        "b executing: dependency refused: it is too late to change what 'b' depends on: it is "
          + "executing",
        "b executing: the dependency stays: it is too late to change what 'b' depends on: it is "
          + "executing",
      ])
  }

  @Test("A Foundation operation that would close a cycle is refused with a log entry")
  func foreign() throws {
    let bench = Bench()
    let a = bench.held("a")
    let foreign = BlockOperation {}
    foreign.addDependency(a)
    a.addDependency(foreign)
    #expect(refusals(bench).count == 1)
    #expect(refusals(bench).first?.contains("would close a cycle") == true)
    foreign.removeDependency(a)
  }
}
