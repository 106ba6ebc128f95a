/// What is on one site, as the methods list it.
struct SiteLists {
  let catalog: Catalog
  let writer: PostWriter

  init(catalog: Catalog, withBody: Bool) {
    self.catalog = catalog
    writer = PostWriter(dataset: catalog.dataset, withBody: withBody)
  }

  var dataset: Dataset { catalog.dataset }

  /// The positions of the posts that have one of some ids.
  static func positions<P: Post>(of identifiers: [Int], in posts: [P]) -> [Int32] {
    identifiers.compactMap { Dataset.position(of: $0, in: posts).map(Int32.init) }
  }
}
