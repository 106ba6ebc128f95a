import Operations
import Testing

/// A group has its exclusive names until all that is in it has finished.
@Suite(.timeLimit(.minutes(15))) struct ExclusiveGroupTests {
  private func group(_ bench: Bench, _ name: String, needs names: [String] = []) -> GroupOperation {
    let group = GroupOperation(name: name, engine: bench.engine)
    group.exclusiveNames = names
    return group
  }

  private func quick(_ bench: Bench, _ name: String, needs names: [String]) -> Quick {
    let operation = bench.quick(name)
    operation.exclusiveNames = names
    return operation
  }

  private let conflict = QueueError.exclusiveConflict(
    exclusiveName: "disk", member: "member", group: "outer")

  @Test("A group refuses a member that needs one of the group's exclusive names")
  func member() throws {
    let bench = Bench()
    let outer = group(bench, "outer", needs: ["disk"])
    let member = quick(bench, "member", needs: ["cpu", "disk"])
    #expect(throws: conflict) { try outer.addOperation(member) }
    #expect(member.state == .created && outer.operations.isEmpty)
    member.exclusiveNames = ["cpu"]
    try outer.addOperation(member)
    try bench.queue().addOperations([outer], waitUntilFinished: true)
    #expect(member.outcome == .succeeded)
  }

  @Test("A group refuses a nested member that needs its name, in either order of adding")
  func nested() throws {
    let bench = Bench()
    let (outer, inner) = (group(bench, "outer", needs: ["disk"]), group(bench, "inner"))
    try inner.addOperation(quick(bench, "member", needs: ["disk"]))
    #expect(throws: conflict) { try outer.addOperation(inner) }
    let (middle, other) = (group(bench, "middle"), group(bench, "other"))
    try outer.addOperation(middle)
    try middle.addOperation(other)
    #expect(throws: conflict) {
      try other.addOperation(quick(bench, "member", needs: ["disk"]))
    }
    #expect(throws: conflict) { try middle.addOperation(inner) }
  }

  @Test("An executing group also refuses a member that needs its name")
  func later() throws {
    let bench = Bench()
    let outer = group(bench, "outer", needs: ["disk"])
    let first = bench.held("first")
    try outer.addOperation(first)
    try bench.queue().addOperation(outer)
    #expect(first.waitUntilBegun())
    #expect(throws: conflict) {
      try outer.addOperation(quick(bench, "member", needs: ["disk"]))
    }
    first.finish(.success(1))
    outer.waitUntilFinished()
    #expect(outer.outcome == .succeeded)
  }

  @Test("Exclusive names set later are refused with a log entry")
  func setter() throws {
    let bench = Bench()
    let (outer, member) = (group(bench, "outer"), quick(bench, "member", needs: ["disk"]))
    try outer.addOperation(member)
    outer.exclusiveNames = ["disk"]
    #expect(outer.exclusiveNames.isEmpty)
    outer.exclusiveNames = ["cpu"]
    member.exclusiveNames = ["cpu", "disk"]
    #expect(member.exclusiveNames == ["disk"])
    let refusals = bench.entries.filter { $0.event == .refusal }
    #expect(refusals.map(\.operation.name) == ["outer", "member"])
    #expect(refusals.allSatisfy { $0.reason.contains("exclusive names refused") })
  }

  @Test("Two members, a cancelled one, and groups side by side may need the same name")
  func allowed() throws {
    let bench = Bench()
    let (one, two) = (group(bench, "one", needs: ["disk"]), group(bench, "two", needs: ["disk"]))
    let cancelled = quick(bench, "cancelled", needs: ["disk"])
    cancelled.cancel()
    try one.addOperation(cancelled)
    try two.addOperations([
      quick(bench, "a", needs: ["cpu"]), quick(bench, "b", needs: ["cpu"]),
    ])
    try bench.queue().addOperations([one, two], waitUntilFinished: true)
    #expect(one.outcome == .cancelled && two.outcome == .succeeded)
  }
}
