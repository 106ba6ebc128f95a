import Foundation
import Operations
import ShellLanguage
import ShellSession
import Terminal

/// `stats threads`: counts the threads of the process.
enum StatsThreads: Command {
  static let signature = CommandSignature(
    path: ["stats", "threads"],
    summary: "Counts the threads of the process and the operations that hold one",
    discussion: """
      A request that waits for its answer holds no thread, however many requests there are; a \
      blocking request ('fetch … --blocking') and a 'block' hold one thread each.
      """,
    examples: [
      .init(
        "server latency 100ms; queue width unlimited; fetch questions --blocking --count 8; "
          + "sleep 50ms; stats threads; wait", "eight threads for eight requests")
    ],
    searchTerms: ["thread", "pool", "blocking", "dispatch", "count"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let executing = invocation.session.operations.unfinished.filter { $0.state == .executing }
    let blocking = executing.count { $0 is BlockingOperation }
    let threads = Self.threadNames()
    func say(_ name: String, _ text: String) {
      invocation.print(StyledText(TextWidth.pad(name, to: 10), style: .dim) + StyledText(text))
    }
    say("threads", threads.isEmpty ? "not known on this system" : String(threads.count))
    say("executing", OperationTable.count(executing.count, "operation"))
    say("hold one", OperationTable.count(blocking, "operation"))
    say("hold none", OperationTable.count(executing.count - blocking, "operation"))
    let named = Dictionary(grouping: threads, by: \.self).mapValues(\.count)
    for (name, count) in named.sorted(by: { $0.key < $1.key }) {
      say("", "\(count) × \(VisibleText.escape(name))")
    }
    return .record([
      .init("threads", .integer(Int64(threads.count))),
      .init("executing", .integer(Int64(executing.count))),
      .init("blocking", .integer(Int64(blocking))),
    ])
  }

  /// The names that the system has for the threads of the process.
  private static func threadNames() -> [String] {
    let folder = "/proc/self/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.compactMap { thread in
      FileManager.default.contents(atPath: "\(folder)/\(thread)/comm").map {
        String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      }
    }
  }
}

extension OperationTable {
  /// `1 operation`, `2 operations`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
