import OpshNetworking
import ShellOutput
import ShellSession
import OpshTerminal

extension QuotesPage: ShellResult {
  var json: JSONValue { raw }

  func show(_ invocation: Invocation) { invocation.print(ResultTables.quotes(self)) }
}

extension Quote: ShellResult {
  var json: JSONValue {
    JSONValue.members([
      "id": .string(id), "text": .string(text), "author": .optional(author),
      "reads": .number(readCount), "created": .optional(createdAt.map(DateText.text)),
      "updated": .optional(updatedAt.map(DateText.text)),
    ])
  }

  func show(_ invocation: Invocation) {
    for line in ResultTables.lines(of: self) { invocation.print(line) }
  }
}

extension QuoteMergeReport: ShellResult {
  var json: JSONValue {
    let rejected = rejected.map { rejection in
      JSONValue.members([
        "index": .number(rejection.index), "id": .optional(rejection.id),
        "reason": .string(rejection.reason),
      ])
    }
    return JSONValue.members([
      "created": .number(created), "updated": .number(updated), "unchanged": .number(unchanged),
      "repeated": .number(repeated), "rejected": .array(rejected),
    ])
  }

  /// Prints the counts, and the reason of each rejected record.
  func show(_ invocation: Invocation) {
    invocation.print(StyledText(summary))
    for rejection in rejected {
      let name = rejection.id.map { "'\($0)'" } ?? "without id"
      invocation.print(
        StyledText(
          "  record \(rejection.index + 1), \(VisibleText.escape(name)): "
            + VisibleText.escape(rejection.reason), style: .dim))
    }
  }
}

/// Quotes as text.
enum ResultTables {
  /// The records of a page; a record that is not a quote is shown with the reason.
  static func quotes(_ page: QuotesPage) -> Table {
    Table(
      columns: columns,
      rows: page.records.map { record in
        switch record.validated {
        case .success(let quote): cells(of: quote)
        case .failure(let problem):
          [
            StyledText(VisibleText.escape(record.id ?? "-")), "-",
            StyledText("no quote: \(VisibleText.escape(problem.reason))", style: .dim), "-",
          ]
        }
      })
  }

  static func quotes(_ quotes: [Quote]) -> Table {
    Table(columns: columns, rows: quotes.map(cells))
  }

  private static let columns: [Table.Column] = [
    .init("id"), .init("reads", alignment: .trailing),
    .init("text", isFlexible: true, goesBelow: true),
    .init("author", maximumWidth: 24),
  ]

  private static func cells(of quote: Quote) -> [StyledText] {
    [
      StyledText(VisibleText.escape(quote.id)), StyledText(String(quote.readCount)),
      StyledText(VisibleText.escape(quote.text)),
      StyledText(VisibleText.escape(quote.author ?? "-")),
    ]
  }

  /// A quote as text to read, with its author and how often it was read.
  static func lines(of quote: Quote) -> [StyledText] {
    quote.text.split(separator: "\n", omittingEmptySubsequences: false).map {
      StyledText(VisibleText.escape(String($0)))
    } + [
      StyledText(
        "  — \(VisibleText.escape(quote.author ?? "unknown")), read \(quote.readCount) "
          + (quote.readCount == 1 ? "time" : "times"), style: .dim)
    ]
  }
}
