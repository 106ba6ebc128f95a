import CommandParts
import Foundation
import OpshLocking
import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshTerminal

/// `stats threads`: counts the threads of the process.
enum StatsThreads: Command {
  static let path = ["stats", "threads"]
  static let declaration = CommandDeclaration(
    summary: "Lists the threads of opsh and which operations hold one",
    discussion: """
      A request that waits for its answer holds no thread, however many requests there are; a \
      blocking request ('fetch … --blocking') and a 'block' hold one thread each. 'show OP' names \
      the thread that an operation ran on. A queue of Foundation has a process of its own, where \
      a body that blocks also holds a thread of Foundation's pool; 'why' says when that is used up.
      """,
    examples: [
      .init(
        "server latency 100ms; queue width unlimited; fetch questions --blocking --count 8\n"
          + "sleep 50ms; stats threads; wait", "eight threads for eight requests"),
      .init(
        "queue new raw --engine foundation --width 20; block --queue raw --count 6 { sleep 300ms }\n"
          + "sleep 100ms; stats threads; why block-5; wait; queue remove raw",
        "Foundation's pool is used up"),
    ],
    searchTerms: ["thread", "pool", "blocking", "dispatch", "count"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let executing = invocation.jobs.operations.unfinished.filter { $0.state == .executing }
    let holders = executing.filter(holdsThread)
    let blocking = holders.count
    let pools = invocation.jobs.allQueues.compactMap(Pool.init)
    let threads = Self.threadNames()
    let named = Dictionary(grouping: threads, by: Self.purpose).mapValues(\.count)
      .sorted { $0.key < $1.key }
    let value = Value.record([
      .init("threads", .integer(Int64(threads.count))),
      .init("executing", .integer(Int64(executing.count))),
      .init("blocking", .integer(Int64(blocking))),
    ])
    if invocation.isJSON {
      invocation.object(
        .threads,
        [
          "threads": threads.isEmpty ? .null : .number(threads.count),
          "executing": .number(executing.count),
          "holders": .array(holders.map { OperationDescription.reference(to: $0).value }),
          "purposes": .array(
            named.map {
              JSONValue.members(["purpose": .string($0.key), "count": .number($0.value)])
            }),
          "pools": .array(pools.map(\.json)),
        ])
      return value
    }
    func say(_ number: Int, _ text: String) {
      let number = StyledText(String(number), style: .bold).padded(to: 4, alignment: .trailing)
      invocation.print(number + StyledText("  " + text))
    }
    let count = threads.isEmpty ? "an unknown number of" : String(threads.count)
    invocation.print(
      StyledText("opsh has \(count) threads")
        + StyledText(", and \(OperationTable.count(executing.count, "operation")) executing"))
    if blocking > 0 {
      say(
        blocking,
        (blocking == 1 ? "holds a thread: " : "hold a thread each: ")
          + names(holders))
    }
    if executing.count > blocking {
      say(
        executing.count - blocking,
        (executing.count - blocking == 1 ? "holds none: " : "hold none: ")
          + names(executing.filter { !holdsThread($0) }))
    }
    for pool in pools {
      let threads = pool.threads.map { OperationTable.count($0, "thread") }
      let name = VisibleText.escape(pool.queue)
      invocation.print(
        StyledText(
          "the process of queue '\(name)' has " + (threads ?? "an unknown number of threads")))
      guard !pool.holders.isEmpty else { continue }
      say(
        pool.holders.count,
        (pool.holders.count == 1
          ? "holds a thread of Foundation's pool: " : "hold a thread of Foundation's pool each: ")
          + names(pool.holders))
    }
    if !threads.isEmpty { invocation.print("the threads") }
    for (purpose, count) in named { say(count, purpose) }
    return value
  }

  private static func names(_ operations: [ObservableOperation]) -> String {
    VisibleText.escape(OperationList.names(operations))
  }

  /// Whether an executing operation holds a thread of opsh.
  private static func holdsThread(_ operation: ObservableOperation) -> Bool {
    operation is BlockingOperation || (operation as? FoundationOperation)?.isBodyRunning == true
  }

  /// The threads of the process of a queue of Foundation.
  private struct Pool {
    let queue: String
    /// How many the process has; nil if the system does not tell.
    let threads: Int?
    /// The operations that hold one of them.
    let holders: [FoundationOperation]

    init?(_ queue: InspectableQueue) {
      guard let link = queue.driver as? FoundationLink, !link.hasEnded else { return nil }
      (self.queue, threads, holders) = (queue.name, link.threadCount, link.poolHolders)
    }

    var json: JSONValue {
      JSONValue.members([
        "queue": .string(queue), "threads": .optional(threads),
        "holders": .array(holders.map { OperationDescription.reference(to: $0).value }),
      ])
    }
  }

  /// What a thread of a name does.
  private static func purpose(_ name: String) -> String {
    switch name {
    case ThreadName.interpreter: "interpreter: statements, handlers and all output"
    case ThreadName.body: "bodies: one for each blocking operation; idle ones wait for the next"
    case ThreadName.network: "network: all requests that hold no thread"
    case ThreadName.starter: "starter: starts threads for the others"
    case ThreadName.callbacks: "callbacks: decode responses"
    case ThreadName.processes: "processes: waits for programs, and reads what they print"
    case ThreadName.foundation: "reader: what the process of a queue of Foundation reports"
    case "practice-server": "practice server: answers requests"
    case "opsh.serve": "live server: sends the session to pages"
    // The names that libdispatch gives its threads.
    case let name where name.contains("qos") || name.contains("queue"):
      "Foundation's pool: begins asynchronous operations, decodes responses"
    case "opsh": "main: waits for the interpreter"
    default: "\(VisibleText.escape(name)): of a library"
    }
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

extension ObjectKind {
  package static let threads = ObjectKind(
    type: "threads", commands: "`stats threads`",
    keys: [
      ("threads", "how many threads the process has; null if the system does not tell"),
      ("executing", "how many operations execute"),
      ("holders", "those of them that hold a thread each, a list of `{id, name}`"),
      ("purposes", "what the threads are for, a list of `{purpose, count}`"),
      (
        "pools",
        "the processes of queues of Foundation, a list of `{queue, threads, holders}`, with the "
          + "operations that hold a thread there"
      ),
    ])
}
