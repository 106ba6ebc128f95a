import Operations
import ShellSession
import Terminal

/// What the operations of an executing group wait for, with each shared reason listed once.
struct MemberReasons {
  /// The number of members to examine, each of which takes time proportional to the queue's length.
  private static let mostExamined = 100
  private static let mostListed = 12

  private struct Entry {
    var members: [ObservableOperation]
    var reasons: [WhyReason]
  }

  private var entries: [Entry] = []
  private var places: [[String]: Int] = [:]
  private var examined = 0
  /// The number of members that execute and do not wait.
  private var working = 0
  /// The number of examined members that wait and are not listed.
  private var unlisted = 0
  /// The number of members that were not examined.
  private var unknown = 0

  /// Examines the members of a group, and those of executing groups in it.
  init(of group: GroupOperation, in session: Session) {
    // An explicit stack, because groups may be nested deeply.
    var open = Array(group.operations.reversed())
    while let member = open.popLast() {
      if let inner = member as? GroupOperation, inner.state == .executing {
        open += inner.operations.reversed()
      } else if member.state == .executing, WhyReason.reasons(of: member, in: session).isEmpty {
        working += 1
      } else if examined == Self.mostExamined {
        unknown += 1
      } else {
        examined += 1
        add(member, WhyReason.reasons(of: member, asTree: true, in: session))
      }
    }
  }

  private mutating func add(_ member: ObservableOperation, _ reasons: [WhyReason]) {
    guard !reasons.isEmpty else { return }
    // Which operation goes first differs for each of those that wait for a slot.
    let shared = reasons.filter { $0.code != Cause.higherPriority.rawValue }
    let key = (shared.isEmpty ? reasons : shared).map { "\($0.depth) \($0.text)" }
    if let place = places[key] {
      entries[place].members.append(member)
      if !shared.isEmpty { entries[place].reasons = shared }
    } else if entries.count == Self.mostListed {
      unlisted += 1
    } else {
      places[key] = entries.count
      entries.append(Entry(members: [member], reasons: reasons))
    }
  }

  /// A line for each reason; none where no member waits.
  var lines: [StyledText] {
    if entries.count == 1, entries[0].members.count == examined, unknown + working == 0 {
      // All wait for the same, so no name is needed.
      return entries[0].reasons.map(\.line)
    }
    var lines = entries.flatMap(Self.lines)
    if unlisted > 0 { lines.append("  … and \(unlisted) more wait too") }
    if unknown > 0 { lines.append("  … and \(unknown) more, which were not looked at") }
    return lines
  }

  private static func lines(_ entry: Entry) -> [StyledText] {
    let name = entry.members[0].displayName
    if entry.members.count == 1, entry.reasons[0].text.contains("'\(name)'") {
      // The reason itself names the operation.
      return entry.reasons.map(\.line)
    }
    let names = StyledText("  \(OperationList.names(entry.members)):")
    guard entry.reasons.dropFirst().contains(where: { $0.depth == 0 }) else {
      return [names + " " + entry.reasons[0].words] + entry.reasons.dropFirst().map(\.line)
    }
    return [names] + entry.reasons.map { $0.deeper.line }
  }
}
