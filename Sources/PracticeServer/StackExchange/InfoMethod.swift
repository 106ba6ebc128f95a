import OpshJSON

extension StackExchangeMethod {
  static let info = [
    StackExchangeMethod(ofSite: "info") { (lists, _, _) in lists.info() }
  ]
}

extension SiteLists {
  fileprivate func info() -> Listing {
    let dataset = dataset
    let page = Page(number: 1, size: 30)
    return Listing(page: page, total: 1) { json in
      let minutes = 14 * 365 * 24 * 60
      json.beginObject()
      json.field("new_active_users", 7)
      json.field("total_users", dataset.users.count)
      json.key("badges_per_minute")
      json.thousandths(2)
      json.field("total_badges", dataset.users.count * 9)
      json.field("total_votes", dataset.questions.count * 11)
      json.field("total_comments", dataset.questions.count * 4)
      json.key("answers_per_minute")
      json.thousandths(dataset.answers.count * 1000 / minutes)
      json.key("questions_per_minute")
      json.thousandths(dataset.questions.count * 1000 / minutes)
      json.field("total_answers", dataset.answers.count)
      json.field("total_accepted", dataset.answers.count { $0.isAccepted })
      json.field("total_unanswered", dataset.questions.count { !$0.isAnswered })
      json.field("total_questions", dataset.questions.count)
      json.field("api_revision", "practice")
      json.endObject()
    }
  }
}
