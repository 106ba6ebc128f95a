import OpshWebAPIs

/// Which posts a request asks for, and in which order.
struct PostQuery {
  let page: Page
  let isDescending: Bool
  /// The allowed values of the field that is sorted by.
  let values: ClosedRange<Int>?
  /// The allowed dates of creation.
  let dates: ClosedRange<Int>?

  /// Reads what all lists of posts have in common.
  ///
  /// - Parameters:
  ///   - parameters: The request's parameters.
  ///   - allowsValues: Whether the sort has a field that `min` and `max` can bound.
  /// - Throws: The error of the first parameter that is wrong.
  init(_ parameters: Parameters, allowsValues: Bool = true) throws(APIError) {
    page = try parameters.page()
    isDescending = try parameters[StackExchange.order] == .descending
    values = try parameters.range(StackExchange.minimum, StackExchange.maximum)
    if !allowsValues, values != nil {
      let minimum = try parameters[StackExchange.minimum]
      throw .badParameter((minimum == nil ? StackExchange.maximum : StackExchange.minimum).name)
    }
    dates = try parameters.range(StackExchange.fromDate, StackExchange.toDate)
  }

  /// Whether every post is asked for.
  private var isUnbounded: Bool { values == nil && dates == nil }

  /// Leaves out what is not asked for.
  ///
  /// - Parameters:
  ///   - positions: Positions of posts, the greatest first.
  ///   - posts: The posts.
  ///   - sort: What `min` and `max` bound.
  ///   - isIncluded: A further condition, if there is one.
  /// - Returns: The positions that remain, in the order that is asked for.
  func select<P: Post>(
    _ positions: [Int32], of posts: [P], sort: PostSort?, where isIncluded: ((P) -> Bool)? = nil
  ) -> [Int32] {
    var selected = positions
    if !isUnbounded || isIncluded != nil {
      selected = positions.filter { position in
        let post = posts[Int(position)]
        if let dates, !dates.contains(post.creationDate) { return false }
        if let values, let sort, !values.contains(sort.key(of: post)) { return false }
        return isIncluded?(post) ?? true
      }
    }
    return isDescending ? selected : selected.reversed()
  }
}
