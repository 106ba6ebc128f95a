/// A list that a method found, of which one page is shown.
struct Listing {
  let page: Page
  let total: Int
  /// The page's items, written one after the other inside the array.
  let writeItems: (inout JSONWriter) -> Void

  init(page: Page, total: Int, writeItems: @escaping (inout JSONWriter) -> Void) {
    self.page = page
    self.total = total
    self.writeItems = writeItems
  }

  /// Shows a page of positions.
  init(page: Page, positions: [Int32], write: @escaping (Int, inout JSONWriter) -> Void) {
    let shown = positions[page.range(in: positions.count)]
    self.init(page: page, total: positions.count) { json in
      for position in shown { write(Int(position), &json) }
    }
  }
}
