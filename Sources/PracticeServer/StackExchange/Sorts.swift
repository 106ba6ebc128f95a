/// The orders of answers, and of posts that are asked for by id.
enum PostSort: String {
  case activity, creation, votes

  /// What the order compares, and what `min` and `max` bound.
  func key<P: Post>(of post: P) -> Int {
    switch self {
    case .activity: post.lastActivityDate
    case .creation: post.creationDate
    case .votes: post.score
    }
  }
}

/// The orders of the list of questions.
enum QuestionSort: String {
  case activity, creation, votes, hot, week, month

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

/// The orders of what a search has found.
enum SearchSort: String {
  case activity, creation, votes, relevance

  /// The order that compares one field, if it is one of those.
  var field: PostSort? { PostSort(rawValue: rawValue) }
}

/// The orders of tags.
enum TagSort: String {
  case popular, activity, name
}
