import OpshSupport
import Testing

@testable import Operations

@Suite(.timeLimit(.minutes(15))) struct UpstreamEdgesTests {
  @Test("Edges added, changed and removed anywhere keep their order, and each is found")
  func againstList() {
    let bench = Bench()
    var random = RandomSource(seed: 7)
    let strangers = (0..<3).map { _ in Plain(engine: bench.engine) }
    for _ in 0..<30 {
      var edges = UpstreamEdges()
      var model: [DependencyEdge] = []
      // A long list is searched in another way than a short one.
      let limit = 1 + random.below(30)
      for _ in 0..<200 {
        switch random.below(10) {
        case 0..<(model.count < limit ? 6 : 2):
          let edge = DependencyEdge(operation: Plain(engine: bench.engine), policy: policy(&random))
          edges.append(edge)
          model.append(edge)
        case 6...7 where !model.isEmpty:
          let position = random.below(model.count)
          let expected = model.remove(at: position)
          let removed = edges.remove(expected.operation)
          #expect(removed?.operation === expected.operation)
          #expect(removed?.policy == expected.policy)
          #expect(
            edges.remove(expected.operation)?.operation == nil
              && !edges.contains(expected.operation))
          // Reading positions closes the gaps; skipping that leaves other edges next to each other.
          if random.below(2) == 0 { continue }
        case 8 where !model.isEmpty:
          let position = random.below(model.count)
          let (old, new) = (model[position], policy(&random))
          edges.setPolicy(new, at: position)
          model[position] = DependencyEdge(operation: old.operation, policy: new)
        case 9 where !model.isEmpty:
          let position = random.below(model.count)
          let edge = DependencyEdge(operation: Plain(engine: bench.engine), policy: policy(&random))
          edges.replace(at: position, with: edge)
          model[position] = edge
        default:
          break
        }
        #expect(edges.isEmpty == model.isEmpty && edges.count == model.count)
        for (position, edge) in model.enumerated() {
          #expect(edges[position].operation === edge.operation)
          #expect(edges[position].policy == edge.policy)
          #expect(edges.position(of: edge.operation) == position && edges.contains(edge.operation))
        }
        for stranger in strangers { #expect(edges.position(of: stranger) == nil) }
      }
    }
  }

  @Test("The engine stores at most 136 bytes for an operation")
  func size() {
    #expect(MemoryLayout<OperationCore>.size <= 136)
  }

  private func policy(_ random: inout RandomSource) -> FailurePolicy {
    FailurePolicy.allCases[random.below(FailurePolicy.allCases.count)]
  }
}
