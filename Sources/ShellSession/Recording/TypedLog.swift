import OpshLocking
import Operations
import ShellLanguage
import ShellOutput
import OpshJSON
import Synchronization
import OpshTerminal

/// What was typed, each command with the first line that it printed, in order among the events.
///
/// Recordings and pages show it beside what happened. The statements of a script count as typed.
final class TypedLog: Sendable {
  /// What is known from one moment on.
  enum News {
    /// A command, by its number from 1, begins.
    case command(Int, SourceText, SourceRange)
    /// The first line that a command printed.
    case output(Int, String)
    /// A comment on lines of its own begins a chapter.
    case chapter(String)
  }

  /// A moment, and its place in the log: how many entries and changes were before it.
  struct Item {
    let news: News
    fileprivate(set) var time: ContinuousClock.Instant
    let entry: Int
    let change: Int

    init(_ news: News, at time: ContinuousClock.Instant, in log: EventLog) {
      (self.news, self.time) = (news, time)
      (entry, change) = (log.count, log.changeCount)
    }

    /// Reads the line of a recording, from which the log has all events before it; nil for one that
    /// tells of nothing.
    init?(recorded json: JSONValue, at time: ContinuousClock.Instant, in log: EventLog) {
      let number = json["command"]?.exactInteger(Int.self) ?? 0
      if let text = json["text"]?.string {
        let source = SourceText(name: SourceText.promptName, text: text)
        self.init(.command(number, source, source.range), at: time, in: log)
      } else if let line = json["output"]?.string {
        self.init(.output(number, line), at: time, in: log)
      } else if let title = json["chapter"]?.string {
        self.init(.chapter(title), at: time, in: log)
      } else {
        return nil
      }
    }

    /// The members of its line.
    var fields: JSONFields {
      switch news {
      case .command(let number, let source, let range):
        ["command": .number(number), "text": .string(source.text(in: range))]
      case .output(let number, let line): ["command": .number(number), "output": .string(line)]
      case .chapter(let title): ["chapter": .string(title)]
      }
    }
  }

  private struct State {
    var items: [Item] = []
    var commands = 0
  }

  private let engine: OperationEngine
  private let thread: SessionThread
  private let state = Locked(State())
  private let itemCount = Atomic(0)
  /// Whether the last command has not printed anything yet.
  private let awaitsOutput = Atomic(false)

  /// How many characters of a line of output are kept.
  private static let longestOutput = 500

  init(engine: OperationEngine, thread: SessionThread) {
    (self.engine, self.thread) = (engine, thread)
  }

  /// How many items there are; takes almost no time.
  var count: Int { itemCount.load(ordering: .relaxed) }

  /// Returns the items from a number on.
  func items(from number: Int) -> ArraySlice<Item> { state.withLock { $0.items[number...] } }

  /// Notes a command that is about to run, and a comment that stands on lines of its own before it.
  ///
  /// - Parameters:
  ///   - range: The command; nil for a text that is only a comment.
  ///   - source: The text that it stands in.
  ///   - start: Where the command before it ended.
  func begin(_ range: SourceRange?, in source: SourceText, after start: Int) {
    let before = source.text(in: SourceRange(start, range?.lower ?? source.count))
    if let chapter = Self.chapter(in: before, isStart: start == 0) { add(.chapter(chapter)) }
    guard let range else { return }
    let number = state.withLock { state in
      state.commands += 1
      return state.commands
    }
    add(.command(number, source, range))
    awaitsOutput.store(true, ordering: .relaxed)
  }

  /// Takes a line that is printed: as the first one of the command that runs on this thread.
  func take(_ line: StyledText) {
    guard awaitsOutput.load(ordering: .relaxed), thread.isCurrent else { return }
    awaitsOutput.store(false, ordering: .relaxed)
    let first = line.plain.prefix { !$0.isNewline }.prefix(Self.longestOutput)
    guard first.contains(where: { !$0.isWhitespace }) else { return }
    add(.output(state.withLock { $0.commands }, String(first)))
  }

  /// Performs something whose lines are no output of the command that runs.
  func excluding(_ body: () -> Void) {
    let awaited = awaitsOutput.exchange(false, ordering: .relaxed)
    body()
    awaitsOutput.store(awaited, ordering: .relaxed)
  }

  /// Has all that was typed so far have one time: that at which the virtual clock begins.
  func setTimes(to time: ContinuousClock.Instant) {
    state.withLock { state in
      for index in state.items.indices { state.items[index].time = time }
    }
  }

  /// Replaces all by the lines of a recording, each with its place among the events.
  func replace(by items: [Item]) {
    state.withLock { $0.items = items }
    // What a replay prints is no output of what was recorded.
    awaitsOutput.store(false, ordering: .relaxed)
    itemCount.store(items.count, ordering: .relaxed)
  }

  private func add(_ news: News) {
    let item = Item(news, at: engine.now, in: engine.log)
    let count = state.withLock { state in
      state.items.append(item)
      return state.items.count
    }
    itemCount.store(count, ordering: .relaxed)
  }

  /// The first line of the last comment in a text between two commands.
  ///
  /// What stands on the line of the command before is no comment on a line of its own.
  private static func chapter(in text: String, isStart: Bool) -> String? {
    guard text.utf8.contains(UInt8(ascii: "#")) else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .dropFirst(isStart ? 0 : 1).map { $0.drop(while: \.isWhitespace) }
    let isComment = lines.map { $0.hasPrefix("#") && !$0.hasPrefix("#!") }
    let first = lines.indices.last { isComment[$0] && ($0 == 0 || !isComment[$0 - 1]) }
    let title = first.map { lines[$0].drop { $0 == "#" || $0.isWhitespace } } ?? ""
    return title.isEmpty ? nil : String(title)
  }
}
