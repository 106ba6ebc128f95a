/// Writes posts with the fields in the order in which the service sends them.
struct PostWriter {
  let dataset: Dataset
  let withBody: Bool

  func writeQuestion(at position: Int, to json: inout JSONWriter) {
    let question = dataset.questions[position]
    let topic = Topic.all[question.topic]
    var random = RandomSource(seed: question.textSeed)
    let title = TitleText.make(topic, &random)

    json.beginObject()
    json.key("tags")
    json.beginArray()
    // The subject's own tag comes first, as the most used one does on the site.
    let subject = Topic.tagPositions[topic.tag]
    if let subject, question.tags & (1 << UInt64(subject)) != 0 { json.string(topic.tag) }
    forEachBit(of: question.tags) { bit in
      if bit != subject { json.string(Topic.tags[bit]) }
    }
    json.endArray()
    write(question.author, to: &json)
    json.field("is_answered", question.isAnswered)
    json.field("view_count", question.viewCount)
    json.field(optional: "protected_date", question.protectedDate)
    json.field(optional: "bounty_amount", question.bountyAmount)
    json.field(optional: "bounty_closes_date", question.bountyClosesDate)
    json.field(optional: "closed_date", question.closedDate)
    json.field(
      optional: "accepted_answer_id",
      question.acceptedAnswer.map { dataset.answers[$0].identifier })
    json.field("answer_count", question.answerCount)
    json.field(optional: "community_owned_date", question.communityOwnedDate)
    json.field("score", question.score)
    json.field(optional: "locked_date", question.lockedDate)
    json.field("last_activity_date", question.lastActivityDate)
    json.field("creation_date", question.creationDate)
    json.field(optional: "last_edit_date", question.lastEditDate)
    json.field("question_id", question.identifier)
    if let license = question.license { json.field("content_license", license) }
    json.field(
      "link",
      "\(dataset.site.address)/questions/\(question.identifier)/\(HTMLText.slug(title))")
    if let reason = question.closedReason { json.field("closed_reason", reason) }
    json.field("title", HTMLText.encode(title))
    if withBody { json.field("body", BodyText.question(topic, &random)) }
    json.endObject()
  }

  func writeAnswer(at position: Int, to json: inout JSONWriter) {
    let answer = dataset.answers[position]
    let question = dataset.questions[answer.question]
    json.beginObject()
    write(answer.author, to: &json)
    json.field("is_accepted", answer.isAccepted)
    json.field(optional: "community_owned_date", answer.communityOwnedDate)
    json.field("score", answer.score)
    json.field("last_activity_date", answer.lastActivityDate)
    json.field(optional: "last_edit_date", answer.lastEditDate)
    json.field("creation_date", answer.creationDate)
    json.field("answer_id", answer.identifier)
    json.field("question_id", question.identifier)
    if let license = answer.license { json.field("content_license", license) }
    if withBody {
      var random = RandomSource(seed: answer.textSeed)
      json.field("body", BodyText.answer(Topic.all[question.topic], &random))
    }
    json.endObject()
  }

  private func write(_ author: Author, to json: inout JSONWriter) {
    json.key("owner")
    json.beginObject()
    switch author {
    case .deleted(let number):
      json.field("user_type", "does_not_exist")
      json.field("display_name", "user\(number)")
    case .user(let position):
      let user = dataset.users[position]
      json.field("account_id", user.accountIdentifier)
      json.field("reputation", user.reputation)
      json.field("user_id", user.identifier)
      json.field("user_type", user.type)
      json.field(optional: "accept_rate", user.acceptRate)
      json.field("profile_image", user.image)
      json.field("display_name", user.name)
      json.field("link", user.link)
    }
    json.endObject()
  }
}
