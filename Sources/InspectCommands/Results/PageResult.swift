import OpshNetworking
import ShellSession
import OpshTerminal
import OpshWebAPIs

extension StackExchangePage: ShellResult {
  var json: JSONValue { raw }

  /// Prints the items as a table, and the total where the filter asks for it.
  func show(_ invocation: Invocation) {
    if !hasNoItems || total == nil {
      invocation.print(Table(of: items, columns: Description.columns))
    }
    if let total { invocation.print(StyledText("total: \(total) \(Description.name)")) }
  }
}

extension Table {
  /// Creates the table of items that a description has columns for.
  init<Item>(of items: [Item], columns: [APIColumn<Item>]) {
    self.init(
      columns: columns.map(Column.init),
      rows: items.map { item in columns.map { $0.cell(of: item) } })
  }
}

extension Table.Column {
  fileprivate init(_ column: APIColumn<some Any>) {
    self.init(StyledText(column.title))
    switch column.layout {
    case .leading: break
    case .trailing: alignment = .trailing
    case .upTo(let width): maximumWidth = width
    case .flexible: (isFlexible, goesBelow) = (true, true)
    }
  }
}

extension APIColumn {
  /// The text of an item, which came from a network.
  fileprivate func cell(of item: Item) -> StyledText {
    let style: TextStyle =
      switch style(item) {
      case .plain: .plain
      case .dim: .dim
      case .good: TextStyle(color: .green)
      }
    return StyledText(VisibleText.escape(text(item) ?? "-"), style: style)
  }
}
