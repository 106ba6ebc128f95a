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
      also where it failed. Other values are shown as they print. Of a request that failed by its \
      status, 'fetch' included, it shows the status, the headers and the body. \
      '> FILE' and '| PROGRAM' get exactly the bytes of a body or of what a program printed, and \
      so does standard output where it is no terminal; only a terminal gets control characters \
      made visible. \
      With '--json' it is the whole value; a response has the keys 'url', 'status', 'headers', \
      'bytes', 'encoding' and 'body'. A header is a text, or a list of texts where it came more \
      than once. 'encoding' says what 'body' is: 'json', 'text', 'base64' where the bytes are no \
      UTF-8 ('text' is then the body by its character set, where that is known), or null for no \
      body. Numbers keep their digits. The headers of every request are in 'OPERATION.headers', \
      a refused response is in 'OPERATION.refusal'.
      """,
    positionals: [
      .init(
        "operation", .name("operation"), .oneOrMore,
        help: "an id, a name, a pattern, 'last'")
    ],
    examples: [
      .init("fetch questions --pagesize 5; wait last; result last", "five titles"),
      .init("block { (6 * 7) }; wait; result last", "the value of a body"),
      .init(
        "get '/2.3/info?site=nowhere'; wait --any-outcome; result last",
        "why the server refused: status, headers and body"),
    ],
    searchTerms: ["value", "output", "body", "items", "data"])

  static func run(_ invocation: Invocation) throws -> Value {
    var invocation = invocation
    invocation.isReceived = true
    let operations = try invocation.operations("operation")
    var values: [Value] = []
    for operation in operations {
      if let refusal = (operation as? any NetworkOperationMetrics)?.refusal {
        show(refusal, of: operation, invocation)
        values.append(Value(json: refusal.json))
        continue
      }
      // What a program printed says why it failed.
      if let process = operation as? ProcessOperation, !invocation.isJSON,
        operation.outcome?.failure != nil, !operation.isValueDropped
      {
        ProcessText.show(process.output, invocation)
      }
      try check(operation, invocation)
      if invocation.isJSON {
        invocation.object(
          "result",
          [
            "operation": OperationDescription.reference(to: operation).value,
            "value": operation.resultJSON,
          ])
      } else if let response = operation.valueAtHand as? HTTPResponse {
        text(of: response, operation).show(invocation)
      } else {
        show(operation.valueAtHand, invocation)
        if operation.state != .finished, let use = (operation as? any CachingRequest)?.cacheUse {
          invocation.print(StyledText("(\(use.text))", style: .dim))
        }
      }
      values.append(Value(resultOf: operation))
    }
    return values.count == 1 ? values[0] : .list(values)
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state == .finished }

  /// Shows a response whose status made the operation fail.
  private static func show(
    _ refusal: HTTPResponse, of operation: ObservableOperation, _ invocation: Invocation
  ) {
    guard invocation.isJSON else {
      return text(of: refusal, operation, isRefusal: true).show(invocation)
    }
    invocation.object(
      "result",
      [
        "operation": OperationDescription.reference(to: operation).value, "value": refusal.json,
      ])
  }

  private static func text(
    of response: HTTPResponse, _ operation: ObservableOperation, isRefusal: Bool = false
  ) -> ResponseText {
    ResponseText(
      response: response, isRefusal: isRefusal,
      method: (operation as? any NetworkOperationMetrics)?.method ?? "GET")
  }

  private static func check(
    _ operation: ObservableOperation, _ invocation: Invocation
  ) throws {
    let name = operation.displayName
    switch operation.outcome {
    case .succeeded?:
      guard operation.valueAtHand == nil, operation.isValueDropped else { return }
      let dropped = DroppedValue(of: operation, size: invocation.session.operations.roomierSize)
      throw invocation.call.failure(
        dropped.code, dropped.message, at: "operation", help: dropped.help)
    case nil:
      guard operation.valueAtHand == nil else { return }
      throw invocation.call.failure(
        "not-finished", "'\(name)' has no value yet: it is \(operation.state.rawValue)",
        at: "operation", help: "'wait \(name)' waits for it, 'why \(name)' says what keeps it")
    case .failed(let failure)?:
      throw invocation.call.failure(
        failure.code, "'\(name)' has no value: it failed: \(failure.message)", at: "operation",
        help: operation.isValueDropped
          ? "what it was answered or printed was dropped; 'set keep SIZE' keeps more" : nil)
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
