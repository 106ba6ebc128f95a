import CommandParts
import OpshNetworking
import Operations
import OpshProcesses
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// `result`: shows the value of a finished operation.
enum ResultCommand: Command {
  static let operation = Positional<[OperationName]>.operations

  static let path = ["result"]
  static let declaration = CommandDeclaration(
    summary: "Shows the value of a finished operation",
    discussion: """
      Shows questions, answers, tweets and quotes as a table; of a response the body: JSON laid \
      out over lines, text as it is, anything else by its size; of a program what it printed, and \
      then an error if it failed; other values as they print. 'all' means the unfinished \
      operations, which have no value yet, '*' every operation. If a request failed by its status, \
      'fetch' included, it shows the status, the headers and the body. '> FILE' and '| PROGRAM' \
      get exactly the bytes of the body or of what the program printed, as far as they were kept \
      (of an error response 16 MiB). A standard output that is not a terminal gets them after the \
      status and headers, if it shows these; a terminal gets control characters made visible. With \
      '--json' it prints the whole value; a response has the keys 'url', 'status', 'headers', \
      'bytes', 'encoding' and 'body'. A header is a text, or a list of texts if it came more than \
      once. 'encoding' says what 'body' is: 'json', 'text', 'base64' for bytes that are not UTF-8 \
      ('text' is then the body in its character set, if that is known), or null for no body. \
      Numbers keep their digits. The headers of every request are in 'OPERATION.headers', a \
      refused response is in 'OPERATION.refusal'.
      """,
    positionals: [operation],
    examples: [
      .init("fetch questions --pagesize 5; wait last; result last", "five titles"),
      .init("block { (6 * 7) }; wait; result last", "the value of a body"),
      .init(
        "get '/2.3/info?site=nowhere'; wait --any-outcome; result last",
        "why the server refused: status, headers and body"),
    ],
    searchTerms: ["value", "output", "body", "items", "data"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    var invocation = invocation
    invocation.isReceived = true
    try invocation.call.requireValue(operation)
    let operations = try invocation.operations(operation)
    guard !invocation.run.mode.isRecorded else {
      throw invocation.call.failure(
        .notRecorded, "values of operations were not recorded", at: operation)
    }
    var values: [Value] = []
    // The value that `let` keeps is not shown, too.
    let isShown = !invocation.call.keepsOutput
    for operation in operations {
      if let refusal = operation.networkMetrics?.refusal {
        if isShown { show(refusal, of: operation, invocation) }
        values.append(Value(refusal))
        continue
      }
      // The output of a program that failed says why.
      if let process = operation as? ProcessOperation, !invocation.isJSON,
        operation.outcome?.failure != nil, !operation.isValueDropped
      {
        process.output.show(invocation)
      }
      try check(operation, invocation)
      if !isShown {
        values.append(Value(resultOf: operation))
        continue
      }
      if invocation.isJSON {
        invocation.object(
          "result",
          [
            "operation": OperationDescription.reference(to: operation).value,
            "value": operation.resultJSON,
          ])
      } else if let response = operation.valueAtHand as? HTTPResponse {
        // Unlike the response, the operation knows the method of the request.
        text(of: response, operation).show(invocation)
      } else {
        show(operation.valueAtHand, invocation)
        if operation.state != .finished, let use = operation.networkMetrics?.cacheUse {
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
      method: operation.networkMetrics?.method ?? "GET")
  }

  private static func check(
    _ operation: ObservableOperation, _ invocation: Invocation
  ) throws {
    let name = operation.displayName
    switch operation.outcome {
    case .succeeded?:
      guard operation.valueAtHand == nil, operation.isValueDropped else { return }
      throw invocation.call.failure(
        UnplacedError.droppedValue(of: operation, size: invocation.jobs.operations.roomierSize),
        at: Self.operation)
    case nil:
      guard operation.valueAtHand == nil else { return }
      throw invocation.call.failure(
        .notFinished, "'\(name)' has no value yet: it is \(operation.state.rawValue)",
        at: Self.operation, help: "'wait \(name)' waits for it, 'why \(name)' says what keeps it")
    case .failed(let failure)?:
      throw invocation.call.failure(
        invocation.page(for: failure),
        "'\(name)' has no value: it failed: \(failure.message)", at: Self.operation,
        help: operation.isValueDropped
          ? "its response or output was dropped; 'set keep SIZE' keeps more" : nil)
    case let outcome?:
      let reason = operation.error?.message ?? "it was \(outcome.name)"
      throw invocation.call.failure(
        .noValue, "'\(name)' has no value: \(reason)", at: Self.operation,
        help: "'show \(name)' says what happened")
    }
  }

  private static func show(_ value: (any Sendable)?, _ invocation: Invocation) {
    switch value {
    case nil: invocation.print("no value")
    case is Void: invocation.print("done; it has no value")
    case let result as any ShellResult: result.show(invocation)
    case let other?: invocation.printText(String(describing: other))
    }
  }
}
