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

  private static let operations = HelpTopic(
    name: "properties operations", heading: "Properties of operations",
    introduction: "Times are seconds since the start, and null until they have come.",
    items: [
      ("id, name", "its number, and its name"), ("kind", "the command that built it"),
      ("queue", "the name of its queue, or null"),
      ("state", "created, pending, ready, executing or finished"),
      ("cancelled", "whether 'cancel' has set its flag"),
      ("outcome", "how it ended: succeeded, failed, cancelled or skipped; null until then"),
      ("error", "the error of a failed operation, or null"),
      ("priority", "veryLow, low, normal, high or veryHigh"),
      ("qos", "the quality of service of its body"),
      ("dependencies", "what it depends on, a list of {id, name, policy}"),
      ("dependents", "what depends on it, a list of {id, name}"),
      ("created, ready, started, finished", "when it entered the state"),
      ("wait, duration", "how long it waited for its start, and executed; null until final"),
      ("waiting, running", "the same up to now"), ("attempts", "how often its work was tried"),
      ("result", "its value, as 'result' shows it; neither a column nor a sort key"),
      ("isReady, isExecuting, isFinished, isCancelled", "Foundation's flags, true or false"),
      ("isAsynchronous", "whether it can go on after its body has returned"),
    ],
    examples: [
      .init(
        "delay 1ms --count 2; wait; ops --where 'duration < 5s' --columns id,name,outcome",
        "a condition and columns")
    ],
    further: ["properties settings", "properties requests"])

  private static let settings = HelpTopic(
    name: "properties settings", heading: "Properties that options set",
    introduction: "They show the options of the command that built the operation.",
    items: OperationSetting.all.map { ($0.name, $0.meaning) }, further: ["options"])

  private static let requests = HelpTopic(
    name: "properties requests", heading: "Properties of requests",
    introduction: "They are null for other operations, and until the response has come.",
    items: [
      ("url", "the address, with keys masked"),
      ("status", "the status of the response, such as 200"),
      ("headers", "the headers of the response, a record"),
      ("bytes", "how many bytes were received"), ("items", "how many items were decoded"),
      ("progress", "how much of the body has come, from 0 to 1, if that is known"),
      ("bandwidth", "the measured rate, in bytes per second"),
      ("timings", "a record of durations: lookup, connect, tls, sent, first_byte, total"),
      ("refusal", "the response to a refused request, with its body"),
    ],
    examples: [
      .init("fetch questions --name q --pagesize 3; wait; echo (q.status) (q.items)", "a response")
    ], further: ["network"])

  private static let queues = HelpTopic(
    name: "properties queues", heading: "Properties of queues", introduction: "",
    items: [
      ("name", "its name"), ("width", "how many operations may execute at once; -1: unlimited"),
      ("paused", "whether it starts no further operation"),
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
