import Operations
import Terminal

/// What keeps those in a group that executes, and whom: what several wait for is told once.
struct MemberReasons {
  /// So many members are looked at; each look takes time in proportion to what is on the queue.
  private static let mostLookedAt = 100
  private static let mostTold = 12

  private struct Told {
    var members: [ObservableOperation]
    var reasons: [WhyReason]
  }

  private var told: [Told] = []
  private var places: [[String]: Int] = [:]
  private var lookedAt = 0
  /// How many members work.
  private var working = 0
  /// How many of those that were looked at wait, but are not told of.
  private var leftOut = 0
  /// Members that were not looked at.
  private var unknown = 0

  /// Looks at the members of a group, and at those of groups in it that execute.
  init(of group: GroupOperation, in session: Session) {
    // With a stack of its own, because groups may be nested deeply.
    var open = Array(group.operations.reversed())
    while let member = open.popLast() {
      if let inner = member as? GroupOperation, inner.state == .executing {
        open += inner.operations.reversed()
      } else if member.state == .executing, WhyReason.reasons(of: member, in: session).isEmpty {
        working += 1
      } else if lookedAt == Self.mostLookedAt {
        unknown += 1
      } else {
        lookedAt += 1
        add(member, WhyReason.reasons(of: member, asTree: true, in: session))
      }
    }
  }

  private mutating func add(_ member: ObservableOperation, _ reasons: [WhyReason]) {
    guard !reasons.isEmpty else { return }
    // Who comes before is another for each of those that wait in one line.
    let shared = reasons.filter { $0.code != WaitReason.Code.higherPriority.rawValue }
    let key = (shared.isEmpty ? reasons : shared).map { "\($0.depth) \($0.text)" }
    if let place = places[key] {
      told[place].members.append(member)
      if !shared.isEmpty { told[place].reasons = shared }
    } else if told.count == Self.mostTold {
      leftOut += 1
    } else {
      places[key] = told.count
      told.append(Told(members: [member], reasons: reasons))
    }
  }

  /// A line for each reason; none if nothing keeps anybody.
  var lines: [StyledText] {
    if told.count == 1, told[0].members.count == lookedAt, unknown + working == 0 {
      // All wait for the same, so that nobody need be named.
      return told[0].reasons.map(\.line)
    }
    var lines = told.flatMap(Self.lines)
    if leftOut > 0 { lines.append("  … and \(leftOut) more wait too") }
    if unknown > 0 { lines.append("  … and \(unknown) more, which were not looked at") }
    return lines
  }

  private static func lines(_ told: Told) -> [StyledText] {
    if told.members.count == 1, told.reasons[0].text.contains("'\(told.members[0].displayName)'") {
      // The reason itself says whose it is.
      return told.reasons.map(\.line)
    }
    let names = StyledText("  \(OperationTable.names(told.members)):")
    guard told.reasons.dropFirst().contains(where: { $0.depth == 0 }) else {
      return [names + " " + told.reasons[0].words] + told.reasons.dropFirst().map(\.line)
    }
    return [names] + told.reasons.map { $0.deeper.line }
  }
}
