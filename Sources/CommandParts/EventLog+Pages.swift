package import Operations

extension EventLog {
  /// Returns some entries from a cursor on, and moves the cursor past them; nil at the end.
  package func nextPage(from cursor: inout Int) -> [Entry]? {
    let (page, next) = entries(from: cursor, limit: 4096)
    cursor = next
    return page.isEmpty ? nil : page
  }
}
