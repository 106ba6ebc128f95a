import OpshWebAPIs

extension PostSort {
  /// What the order compares, and what `min` and `max` bound.
  func key<P: Post>(of post: P) -> Int {
    switch self {
    case .activity: post.lastActivityDate
    case .creation: post.creationDate
    case .votes: post.score
    }
  }
}

extension QuestionSort {
  /// The order that compares one field, if it is one of those.
  var field: PostSort? { PostSort(rawValue: rawValue) }

  /// How old a question may be, for the lists of the recent ones.
  var maximumAge: Int? {
    switch self {
    case .week: 7 * 86_400
    case .month: 30 * 86_400
    case .activity, .creation, .votes, .hot: nil
    }
  }
}
