import Foundation
import OpshJSON
import OpshSupport
import OpshWebAPIs

/// Writes posts with the fields in the order in which the service sends them.
struct PostWriter {
  let dataset: Dataset
  let withBody: Bool

  func writeQuestion(at position: Int, to json: inout JSONWriter) {
    let question = dataset.questions[position]
    let topic = Topic.all[question.topic]
    var random = RandomSource(seed: question.textSeed)
    let title = TitleText.make(topic, &random)

    let fields = Questions.Fields.list.fields
    json.beginObject()
    json.key(fields.tags.key)
    json.beginArray()
    // The subject's own tag comes first, as the most used one does on the site.
    let subject = Topic.tagPositions[topic.tag]
    if let subject, question.tags & (1 << UInt64(subject)) != 0 { json.string(topic.tag) }
    forEachBit(of: question.tags) { bit in
      if bit != subject { json.string(Topic.tags[bit]) }
    }
    json.endArray()
    write(question.author, to: &json)
    json.field(fields.isAnswered, question.isAnswered)
    json.field(fields.viewCount, question.viewCount)
    json.field(fields.protectedDate, question.protectedDate)
    json.field(fields.bountyAmount, question.bountyAmount)
    json.field(fields.bountyClosesDate, question.bountyClosesDate)
    json.field(fields.closedDate, question.closedDate)
    json.field(
      fields.acceptedAnswerID,
      question.acceptedAnswer.map { dataset.answers[$0].identifier })
    json.field(fields.answerCount, question.answerCount)
    json.field(fields.communityOwnedDate, question.communityOwnedDate)
    json.field(fields.score, question.score)
    json.field(fields.lockedDate, question.lockedDate)
    json.field(fields.lastActivityDate, question.lastActivityDate)
    json.field(fields.creationDate, question.creationDate)
    json.field(fields.lastEditDate, question.lastEditDate)
    json.field(fields.questionID, question.identifier)
    json.field(fields.contentLicense, question.license)
    json.field(
      fields.link,
      "\(dataset.site.address)/questions/\(question.identifier)/\(HTMLText.slug(title))")
    json.field(fields.closedReason, question.closedReason)
    json.field(fields.title, HTMLText.encode(title))
    if withBody { json.field(fields.body, BodyText.question(topic, &random)) }
    json.endObject()
  }

  func writeAnswer(at position: Int, to json: inout JSONWriter) {
    let answer = dataset.answers[position]
    let question = dataset.questions[answer.question]
    let fields = Answers.Fields.list.fields
    json.beginObject()
    write(answer.author, to: &json)
    json.field(fields.isAccepted, answer.isAccepted)
    json.field(fields.communityOwnedDate, answer.communityOwnedDate)
    json.field(fields.score, answer.score)
    json.field(fields.lastActivityDate, answer.lastActivityDate)
    json.field(fields.lastEditDate, answer.lastEditDate)
    json.field(fields.creationDate, answer.creationDate)
    json.field(fields.answerID, answer.identifier)
    json.field(fields.questionID, question.identifier)
    json.field(fields.contentLicense, answer.license)
    if withBody {
      var random = RandomSource(seed: answer.textSeed)
      json.field(fields.body, BodyText.answer(Topic.all[question.topic], &random))
    }
    json.endObject()
  }

  private func write(_ author: Author, to json: inout JSONWriter) {
    let fields = ShallowUserFields.list.fields
    json.key(Questions.Fields.list.fields.owner.key)
    json.beginObject()
    switch author {
    case .deleted(let number):
      json.field(fields.userType, "does_not_exist")
      json.field(fields.displayName, "user\(number)")
    case .user(let position):
      let user = dataset.users[position]
      json.field(fields.accountID, user.accountIdentifier)
      json.field(fields.reputation, user.reputation)
      json.field(fields.userID, user.identifier)
      json.field(fields.userType, user.type)
      json.field(fields.acceptRate, user.acceptRate)
      json.field(fields.profileImage, user.image)
      json.field(fields.displayName, user.name)
      json.field(fields.link, user.link)
    }
    json.endObject()
  }
}

/// Writes a field that the description of an endpoint has, and nothing for one without a value.
extension JSONWriter {
  mutating func field(_ field: APIField<Int>, _ value: Int) { self.field(field.key, value) }
  mutating func field(_ field: APIField<Bool>, _ value: Bool) { self.field(field.key, value) }
  mutating func field(_ field: APIField<Bool?>, _ value: Bool) { self.field(field.key, value) }
  mutating func field(_ field: APIField<String>, _ value: String) { self.field(field.key, value) }
  mutating func field(_ field: APIField<Int?>, _ value: Int?) {
    self.field(optional: field.key, value)
  }
  mutating func field(_ field: APIField<String?>, _ value: String?) {
    if let value { self.field(field.key, value) }
  }

  /// Writes a time as seconds since 1970.
  mutating func field(_ field: APIField<Date>, _ seconds: Int) { self.field(field.key, seconds) }
  mutating func field(_ field: APIField<Date?>, _ seconds: Int?) {
    self.field(optional: field.key, seconds)
  }
}
