import OpshNetworking
import Operations
import ShellOutput
import ShellSession
import OpshSupport
import OpshTerminal

/// The attempts of a request, as `show` prints them.
struct OperationAttempts {
  let operation: ObservableOperation
  let request: any NetworkOperationMetrics
  let clock: SessionClock
  private let attempts: [RequestAttempt]

  init(
    operation: ObservableOperation, request: any NetworkOperationMetrics, clock: SessionClock
  ) {
    self.operation = operation
    self.request = request
    self.clock = clock
    attempts = request.requestAttempts
  }

  // MARK: Objects

  /// The attempts as objects, with the keys of ``ObjectKind/attempt``.
  var objects: [JSONValue] {
    attempts.map { attempt in
      attempt.fields(of: operation, since: clock.startInstant) { .seconds($0.seconds) }.value
    }
  }

  // MARK: Rows

  /// A row for each attempt of several operations.
  ///
  /// - Parameters:
  ///   - requests: The operations.
  ///   - width: The columns of the terminal, in which columns that say less are left out; nil without
  ///     one.
  /// - Returns: The table.
  static func table(of requests: [OperationAttempts], width: Int?) -> Table {
    let columns = columns(isOne: requests.count == 1, isNarrow: width.map { $0 < 72 } ?? false)
    return Table(
      columns: columns.map(\.column),
      rows: requests.flatMap { request in
        request.attempts.map { attempt in columns.map { $0.cell(request, attempt) } }
      })
  }

  private typealias Column = (
    column: Table.Column, cell: (OperationAttempts, RequestAttempt) -> StyledText
  )

  private static func columns(isOne: Bool, isNarrow: Bool) -> [Column] {
    func number(_ title: StyledText) -> Table.Column { .init(title, alignment: .trailing) }
    var columns: [Column] = []
    if !isOne {
      columns.append(
        (
          .init("operation", isFlexible: true),
          { request, _ in StyledText(VisibleText.escape(request.operation.displayName)) }
        ))
    }
    columns.append((number(isNarrow ? "#" : "attempt"), { StyledText(String($1.number)) }))
    if !isNarrow {
      columns.append(
        (
          number("started"),
          { StyledText(TransitionText.time($0.clock.elapsed($1.started))) }
        ))
    }
    columns.append(
      (number("took"), { StyledText($1.duration.map { DurationText($0).description } ?? "…") }))
    columns.append((number("status"), { StyledText($1.status.map(String.init) ?? "-") }))
    if !isNarrow {
      columns.append((number("requests"), { StyledText(String($1.exchanges.count)) }))
    }
    columns.append(
      (
        .init("fault", isFlexible: true),
        { _, attempt in StyledText(attempt.error.map { VisibleText.escape($0.code) } ?? "-") }
      ))
    return columns
  }

  // MARK: Whole

  /// Everything about all attempts, line by line.
  ///
  /// - Parameter width: The columns of the terminal, in which long lines go on below; nil without one.
  /// - Returns: The lines.
  func verboseLines(width: Int?) -> [StyledText] {
    var lines: [StyledText] = []
    let name = StyledText(VisibleText.escape(operation.displayName), style: .bold)
    guard !attempts.isEmpty else {
      let reason =
        switch request.cacheUse {
        case .hit?: "no request was sent: the cache had a fresh response"
        default: operation.isFinished ? "no request was sent" : "no request was sent yet"
        }
      return fold(name + ": " + StyledText(reason), width, indent: 2)
    }
    for (index, attempt) in attempts.enumerated() {
      if index > 0 {
        lines.append("")
        let missing = attempt.number - attempts[index - 1].number - 1
        if missing > 0 {
          lines += ["\(missing) attempts in between were not kept", ""].map { StyledText($0) }
        }
      }
      lines += fold(name + StyledText(title(of: attempt)), width, indent: 2)
      for (place, exchange) in attempt.exchanges.enumerated() {
        if place > 0 {
          lines += fold("  " + StyledText(reason(for: attempt, place)), width, indent: 4)
        }
        lines += self.lines(of: exchange, width)
      }
    }
    return lines
  }

  private func title(of attempt: RequestAttempt) -> String {
    let time = clock.elapsed(attempt.started)
    var text = ", attempt \(attempt.number)"
    if let limit = operation.attemptLimit { text += " of \(max(limit, operation.attempts))" }
    text += ", begun at "
    text += TransitionText.time(time).drop { $0 == " " } + " s"
    if let leader = attempt.joined {
      text += ", joined the request of \(VisibleText.escape(leader.name))"
    }
    guard let duration = attempt.duration else { return text + ": it runs" }
    text += attempt.error == nil ? ": succeeded" : ": failed"
    text += " after \(DurationText(duration))"
    guard let error = attempt.error else { return text }
    return text + ": \(VisibleText.escape(error.message)) [\(VisibleText.escape(error.code))]"
  }

  /// Why a further request followed.
  private func reason(for attempt: RequestAttempt, _ place: Int) -> String {
    attempt.exchanges[place - 1].status == 401
      ? "the challenge is answered:"
      : "the redirect is followed to \(attempt.exchanges[place].url):"
  }

  private func lines(of exchange: HTTPExchange, _ width: Int?) -> [StyledText] {
    var rows: [(name: String, text: String)] = []
    let peer =
      exchange.peer
      ?? (exchange.isUnderWay
        ? "not known: its end was not reported yet"
        : exchange.wasSent ? "in this process" : "none: nothing was sent")
    rows.append(("connection", peer))
    if let tls = exchange.tls {
      rows.append(("TLS", "\(tls.version), \(tls.cipher)"))
      if let certificate = tls.certificate {
        let (from, until) = (certificate.validFrom, certificate.validUntil)
        rows.append(
          (
            "certificate",
            "of '\(certificate.subject)', issued by '\(certificate.issuer)', valid "
              + "\(DateText.text(from).prefix(10)) to \(DateText.text(until).prefix(10))"
          ))
      }
    }
    let times = exchange.timings
    rows.append(
      ("times", exchange.isUnderWay ? "total \(DurationText(times.total))" : times.text))
    var lines = rows.flatMap { row in
      fold(
        StyledText("  " + TextWidth.pad(row.name, to: 13), style: .dim)
          + StyledText(VisibleText.escape(row.text)), width, indent: 15)
    }
    func add(_ mark: String, _ first: String, _ headers: [(name: String, value: String)]) {
      for text in [first] + headers.map({ "\($0.name): \($0.value)" }) {
        lines += fold(
          StyledText("  \(mark) ", style: .dim) + StyledText(VisibleText.escape(text)), width,
          indent: 6)
      }
    }
    if exchange.wasSent { add(">", exchange.requestLine, exchange.sentHeaders) }
    if let status = exchange.statusLine { add("<", status, exchange.receivedHeaders) }
    if exchange.droppedHeaders > 0 {
      lines.append(StyledText("  < \(exchange.droppedHeaders) further headers were not kept"))
    }
    return lines
  }

  /// A line as several that fit, those after the first one indented; cut anywhere, so that nothing of
  /// it is lost.
  private func fold(_ line: StyledText, _ width: Int?, indent: Int) -> [StyledText] {
    guard let width, line.columns > width, width > indent + 8 else { return [line] }
    var lines: [StyledText] = []
    var rest = line
    while rest.columns > width {
      let part = rest.truncated(to: width, ellipsis: "")
      let text = part.plain
      // At a blank, if there is one in the last third.
      let blank = text.lastIndex(of: " ").map { text.distance(from: text.startIndex, to: $0) }
      let kept = blank.flatMap { $0 > text.count * 2 / 3 ? $0 + 1 : nil } ?? text.count
      guard kept > 0 else { break }
      let (head, tail) = rest.split(at: kept)
      lines.append(head.withoutTrailingBlanks)
      rest = StyledText(String(repeating: " ", count: indent)) + tail
    }
    return lines + [rest]
  }
}

extension StyledText {
  /// The first characters, and the rest.
  fileprivate func split(at count: Int) -> (head: StyledText, tail: StyledText) {
    var (head, tail, left) = (StyledText(), StyledText(), count)
    for span in spans {
      head.append(Span(String(span.text.prefix(max(0, left))), style: span.style))
      tail.append(Span(String(span.text.dropFirst(max(0, left))), style: span.style))
      left -= span.text.count
    }
    return (head, tail)
  }
}
