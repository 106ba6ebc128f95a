import Networking
import Operations
import ShellLanguage
import Terminal

/// `result`: the value of a finished operation.
enum ResultCommand: Command {
  static let signature = CommandSignature(
    path: ["result"],
    summary: "Shows the value of a finished operation",
    discussion: """
      Questions, answers, tweets and quotes are shown as a table; of a response the body: JSON \
      laid out over lines, text as it is, anything else by its size; of a program what it printed, \
      also where it failed. Of a request that failed by its status it shows what the server said. \
      Other values are shown as they print. With '--json' it is the whole \
      value.
      """,
    positionals: [
      .init(
        "operation", .name("operation"), .oneOrMore,
        help: "an id, a name, a pattern, 'last'")
    ],
    examples: [
      .init("fetch questions --pagesize 5; wait last; result last", "five titles"),
      .init("block { (6 * 7) }; wait; result last", "the value of a body"),
    ],
    searchTerms: ["value", "output", "body", "items", "data"])

  static func run(_ invocation: Invocation) throws -> Value {
    let operations = try invocation.operations("operation")
    for operation in operations {
      // What a program printed says why it failed.
      if let process = operation as? ProcessOperation, !invocation.isJSON,
        operation.outcome?.failure != nil
      {
        ProcessText.show(process.output, invocation)
      }
      // And a server says why it refused.
      if let refusal = (operation as? any NetworkOperationMetrics)?.refusal {
        ResponseText.show(refusal, invocation)
      }
      try check(operation, invocation)
      if invocation.isJSON {
        invocation.object(
          "result",
          [
            "operation": OperationDescription.reference(to: operation).value,
            "value": Value(resultOf: operation).json,
          ])
      } else {
        show(operation.valueAtHand, invocation)
        if operation.state != .finished, let use = (operation as? any CachingRequest)?.cacheUse {
          invocation.print(StyledText("(\(use.text))", style: .dim))
        }
      }
    }
    let values = operations.map(Value.init(resultOf:))
    return values.count == 1 ? values[0] : .list(values)
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state == .finished }

  private static func check(
    _ operation: ObservableOperation, _ invocation: Invocation
  ) throws {
    let name = operation.displayName
    switch operation.outcome {
    case .succeeded?: return
    case nil:
      guard operation.valueAtHand == nil else { return }
      throw invocation.call.failure(
        "not-finished", "'\(name)' has no value yet: it is \(operation.state.rawValue)",
        at: "operation", help: "'wait \(name)' waits for it, 'why \(name)' says what keeps it")
    case .failed(let failure)?:
      throw invocation.call.failure(
        failure.code, "'\(name)' has no value: it failed: \(failure.message)", at: "operation")
    case let outcome?:
      throw invocation.call.failure(
        "no-value", "'\(name)' has no value: it was \(outcome.name)", at: "operation",
        help: "'show \(name)' says what happened")
    }
  }

  private static func show(_ value: (any Sendable)?, _ invocation: Invocation) {
    switch value {
    case let page as QuestionsPage: show(page, as: "questions", table, invocation)
    case let page as AnswersPage: show(page, as: "answers", table, invocation)
    case let page as TweetsPage: invocation.print(ResultTables.tweets(page))
    case let page as QuotesPage: invocation.print(ResultTables.quotes(page))
    case let quote as Quote: ResultTables.lines(of: quote).forEach { invocation.print($0) }
    case let report as QuoteMergeReport:
      ResultTables.lines(of: report).forEach { invocation.print($0) }
    case let response as HTTPResponse: ResponseText.show(response, invocation)
    case let file as DownloadedFile:
      invocation.print(
        StyledText("\(ByteCount(file.size).description) in '\(VisibleText.escape(file.path))'"))
    case let output as ProcessOutput: ProcessText.show(output, invocation)
    case nil: invocation.print("no value")
    case is Void: invocation.print("done; it has no value")
    case let value as Value: invocation.printText(value.text)
    case let other?: invocation.printText(String(describing: other))
    }
  }

  /// The items as a table, and how many there are where the filter asks for that.
  private static func show<Item>(
    _ page: StackExchangePage<Item>, as noun: String,
    _ table: (StackExchangePage<Item>) -> Table, _ invocation: Invocation
  ) {
    if !page.hasNoItems || page.total == nil { invocation.print(table(page)) }
    if let total = page.total { invocation.print(StyledText("total: \(total) \(noun)")) }
  }

  private static func table(_ page: QuestionsPage) -> Table {
    var table = Table(columns: [
      .init("score", alignment: .trailing), .init("answers", alignment: .trailing),
      .init("title", isFlexible: true), .init("tags", maximumWidth: 30), .init("asked by"),
    ])
    for question in page.items {
      table.rows.append([
        StyledText(String(question.score)),
        StyledText(
          String(question.answerCount),
          style: question.isAnswered ? TextStyle(color: .green) : .plain),
        StyledText(VisibleText.escape(question.title)),
        StyledText(VisibleText.escape(question.tags.joined(separator: " ")), style: .dim),
        StyledText(VisibleText.escape(question.owner?.displayName ?? "-")),
      ])
    }
    return table
  }

  private static func table(_ page: AnswersPage) -> Table {
    var table = Table(columns: [
      .init("answer", alignment: .trailing), .init("question", alignment: .trailing),
      .init("score", alignment: .trailing), .init("accepted"),
      .init("answered by", isFlexible: true),
    ])
    for answer in page.items {
      table.rows.append([
        StyledText(String(answer.answerID)), StyledText(String(answer.questionID)),
        StyledText(String(answer.score)),
        answer.isAccepted ? StyledText("✓", style: TextStyle(color: .green)) : "",
        StyledText(VisibleText.escape(answer.owner?.displayName ?? "-")),
      ])
    }
    return table
  }
}

extension Invocation {
  /// Prints text that may have several lines and come from anywhere.
  func printText(_ text: String) {
    if isJSON {
      // JSON has escapes of its own, and one object is one text, however many lines it has.
      object(
        "message",
        ["command": .string(call.signature.path.joined(separator: " ")), "text": .string(text)])
      return
    }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.count > 1, lines.last == "" { lines.removeLast() }
    for line in lines { print(StyledText(VisibleText.escape(String(line), keepNewlines: true))) }
  }
}
