/// A list that a method found, of which one page is shown.
struct Listing {
  /// The name of the items' type, for filters that ask for it.
  let type: String
  let page: Page
  let total: Int
  /// The page's items, written one after the other inside the array.
  let writeItems: (inout JSONWriter) -> Void

  init(type: String, page: Page, total: Int, writeItems: @escaping (inout JSONWriter) -> Void) {
    self.type = type
    self.page = page
    self.total = total
    self.writeItems = writeItems
  }

  /// Shows a page of positions.
  init(
    type: String, page: Page, positions: [Int32],
    write: @escaping (Int, inout JSONWriter) -> Void
  ) {
    let shown = positions[page.range(in: positions.count)]
    self.init(type: type, page: page, total: positions.count) { json in
      for position in shown { write(Int(position), &json) }
    }
  }
}
