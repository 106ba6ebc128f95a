import ShellLanguage
import ShellSession

extension HelpTopic {
  /// The properties of each kind of thing; a list of the kinds comes first.
  static let properties: [HelpTopic] =
    [
      HelpTopic(
        name: "properties", heading: "What has which properties",
        introduction: """
          A property is read as NAME.PROPERTY in expressions, as ${NAME.PROPERTY} in a text, and \
          stands alone in '--where', '--sort' and '--columns'.
          """,
        items: kinds.map { ("help " + $0.name, $0.heading) },
        examples: [
          .init("delay 1ms --name a; wait; echo (a.outcome) (network.width)", "two kinds")
        ],
        isIndex: true)
    ] + kinds

  private static let kinds = [operations, settings, requests, queues, errors, changes]

  /// The properties of operations on a page; those in a row that share a meaning stand in one line.
  private static func items(on page: OperationProperty.Page) -> [(name: String, meaning: String)] {
    var items: [(name: String, meaning: String)] = []
    for property in OperationProperty.all where property.page == page {
      if let last = items.last, last.meaning == property.meaning {
        items[items.count - 1].name += ", " + property.name
      } else {
        items.append((property.name, property.meaning))
      }
    }
    return items
  }

  private static let operations = HelpTopic(
    name: "properties operations", heading: "Properties of operations",
    introduction: "Times are seconds since the start, and null until they have come.",
    items: items(on: .operations),
    examples: [
      .init(
        "delay 1ms --count 2; wait; ops --where 'duration < 5s' --columns id,name,outcome",
        "a condition and columns")
    ],
    further: ["properties settings", "properties requests"])

  private static let settings = HelpTopic(
    name: "properties settings", heading: "Properties that options set",
    introduction: "They show the options of the command that built the operation.",
    items: items(on: .settings), further: ["options"])

  private static let requests = HelpTopic(
    name: "properties requests", heading: "Properties of requests",
    introduction: """
      They are null for other operations, and until the response has come; before that 'url' is \
      set and 'bytes' is 0.
      """,
    items: items(on: .requests),
    examples: [
      .init("fetch questions --name q --pagesize 3; wait; echo (q.status) (q.items)", "a response")
    ], further: ["network"])

  private static let queues = HelpTopic(
    name: "properties queues", heading: "Properties of queues", introduction: "",
    items: [
      ("name", "its name"), ("width", "how many operations may execute at once; -1: unlimited"),
      ("paused", "whether it starts no further operation"),
      ("qos", "the quality of service of operations that have none of their own"),
      ("pace", "the least time between two starts, or null"),
      ("pending, ready, executing, finished", "how many of its operations are in the state"),
      ("operations", "the names of its unfinished operations, a list"),
    ],
    examples: [.init("echo (network.width) (network.paused)", "the queue 'network'")],
    further: ["queues"])

  private static let errors = HelpTopic(
    name: "properties errors", heading: "Properties of errors",
    introduction: """
      'catch NAME' sets a variable to the error. The property 'error' of an operation has the code \
      and the message only.
      """,
    items: [
      ("code", "its stable name: 'explain CODE' says what it means"),
      ("message", "what is wrong, in one sentence"), ("help", "what to do, or null"),
      ("file, line, column", "where it happened"),
    ],
    examples: [
      .init("try { fail \"no paint\" } catch e { echo $e.code $e.message }", "after 'catch'")
    ],
    further: ["try", "status"])

  private static let changes = HelpTopic(
    name: "properties changes", heading: "Properties of $change",
    introduction: "The block of 'observe' and 'observe queue' runs with the variable $change.",
    items: [
      ("subject", "the name of the operation or the queue"), ("keyPath", "what has changed"),
      ("initial", "whether it is the value at the start, not a change ('--options initial')"),
      ("prior", "whether it comes before the change"),
      ("old", "the value before the change, or null"), ("new", "the value after it, or null"),
    ], further: ["observe", "variables"])
}
