import Networking
import Terminal

/// The values of searches and of everything about quotes, as people read them.
enum ResultTables {
  static func tweets(_ page: TweetsPage) -> Table {
    var table = Table(columns: [
      .init("time"), .init("by", maximumWidth: 20), .init("text", isFlexible: true),
    ])
    for tweet in page.tweets { table.rows.append(cells(of: tweet)) }
    return table
  }

  static func tweets(_ merged: MergedTweets) -> Table {
    var table = Table(columns: [
      .init("time"), .init("by", maximumWidth: 20), .init("text", isFlexible: true),
      .init("tags", maximumWidth: 24),
    ])
    for entry in merged.entries {
      let tags = entry.tags.map { VisibleText.escape($0) }.joined(separator: ", ")
      table.rows.append(cells(of: entry.tweet) + [StyledText(tags, style: .dim)])
    }
    return table
  }

  private static func cells(of tweet: Tweet) -> [StyledText] {
    [
      StyledText(tweet.createdAt.map(DateText.minute) ?? "-", style: .dim),
      StyledText(VisibleText.escape(tweet.author.screenName.map { "@" + $0 } ?? "-")),
      StyledText(VisibleText.escape(tweet.text)),
    ]
  }

  static func quotes(_ page: QuotesPage) -> Table {
    var table = quoteTable
    for record in page.records {
      switch record.validated {
      case .success(let quote): table.rows.append(cells(of: quote))
      case .failure(let misfit):
        table.rows.append([
          StyledText(VisibleText.escape(record.id ?? "-")), "-",
          StyledText("no quote: \(VisibleText.escape(misfit.reason))", style: .dim), "-",
        ])
      }
    }
    return table
  }

  static func quotes(_ quotes: [Quote]) -> Table {
    var table = quoteTable
    for quote in quotes { table.rows.append(cells(of: quote)) }
    return table
  }

  private static let quoteTable = Table(columns: [
    .init("id"), .init("reads", alignment: .trailing), .init("text", isFlexible: true),
    .init("author", maximumWidth: 24),
  ])

  private static func cells(of quote: Quote) -> [StyledText] {
    [
      StyledText(VisibleText.escape(quote.id)), StyledText(String(quote.readCount)),
      StyledText(VisibleText.escape(quote.text)),
      StyledText(VisibleText.escape(quote.author ?? "-")),
    ]
  }

  /// The quote as one reads it.
  static func lines(of quote: Quote) -> [StyledText] {
    quote.text.split(separator: "\n", omittingEmptySubsequences: false).map {
      StyledText(VisibleText.escape(String($0)))
    } + [
      StyledText(
        "  — \(VisibleText.escape(quote.author ?? "unknown")), read \(quote.readCount) "
          + (quote.readCount == 1 ? "time" : "times"), style: .dim)
    ]
  }

  /// What was done with the records, and why some were passed over.
  static func lines(of report: QuoteMergeReport) -> [StyledText] {
    [StyledText(report.summary)]
      + report.rejected.map { rejection in
        let name = rejection.id.map { "'\($0)'" } ?? "without id"
        return StyledText(
          "  record \(rejection.index + 1), \(VisibleText.escape(name)): "
            + VisibleText.escape(rejection.reason), style: .dim)
      }
  }
}
