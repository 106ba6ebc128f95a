import Operations

/// Says whether operations can still finish by themselves, or only if somebody steps in.
///
/// An executing operation can; so can a ready one on a queue that is open, and a pending one
/// whose unmet dependencies all can. What waits on a paused queue, on a width of 0, or for an
/// operation that was never started, can not. A `block` body that sits in a `wait`, a group, a
/// barrier, and what waits for a slot or a name can as far as what they wait for can. What waits in
/// a circle never does.
struct Progress {
  private var graph: WaitGraph
  private var verdicts: [WaitGraph.Node: Bool] = [:]

  /// - Parameters:
  ///   - awaitedByBodies: What the bodies that wait at the moment are waiting for, by the id of
  ///     their operation.
  ///   - landmarks: The unfinished operations that others may have to wait for.
  init(
    awaitedByBodies: [Int: [ObservableOperation]] = [:],
    landmarks: WaitGraph.Landmarks = WaitGraph.Landmarks()
  ) {
    graph = WaitGraph(awaitedByBodies: awaitedByBodies, landmarks: landmarks)
  }

  /// Whether the operation can finish without anybody's help.
  ///
  /// Looks at each event once, and without recursion: chains of dependencies may be as long as
  /// memory allows.
  mutating func canFinish(_ operation: ObservableOperation) -> Bool {
    let root = graph.finish(of: operation)
    if let known = verdicts[root] { return known }
    decide(from: root)
    return verdicts[root] ?? false
  }

  /// Decides all that the root hangs on.
  ///
  /// First it is gathered, then what can happen at once is followed to what it makes possible. What
  /// that never reaches can't happen.
  private mutating func decide(from root: WaitGraph.Node) {
    var missing: [WaitGraph.Node: Int] = [:]
    var waiting: [WaitGraph.Node: [WaitGraph.Node]] = [:]
    var possible: [WaitGraph.Node] = []
    var stack = [root]
    while let node = stack.popLast() {
      guard verdicts[node] == nil, missing[node] == nil else { continue }
      let needs: [WaitGraph.Node]
      switch graph.needs(of: node) {
      case .nothing: needs = []
      case .intervention:
        missing[node] = .max
        continue
      case .all(let all):
        needs = all.filter { verdicts[$0] != true }
        missing[node] = needs.count
      case .any(let any):
        needs = any.contains { verdicts[$0] == true } ? [] : any
        missing[node] = needs.isEmpty && any.isEmpty ? .max : min(1, needs.count)
      }
      if needs.isEmpty {
        if missing[node] == nil { missing[node] = 0 }
        if missing[node] == 0 { possible.append(node) }
      }
      for need in needs where verdicts[need] == nil {
        waiting[need, default: []].append(node)
        stack.append(need)
      }
    }
    while let node = possible.popLast() {
      guard verdicts.updateValue(true, forKey: node) != true else { continue }
      for dependent in waiting[node] ?? [] {
        guard let count = missing[dependent], count > 0, count != .max else { continue }
        missing[dependent] = count - 1
        if count == 1 { possible.append(dependent) }
      }
    }
    for node in missing.keys where verdicts[node] == nil { verdicts[node] = false }
  }
}
