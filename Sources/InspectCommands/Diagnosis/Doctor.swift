import CommandParts
import OpshJSON
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshTerminal

/// `doctor`: finds what is wrong with the operations and queues.
enum Doctor: Command {
  static let path = ["doctor"]
  static let declaration = CommandDeclaration(
    summary: "Finds what is wrong with the operations and queues, and says what to do",
    discussion: """
      It looks for operations that will never finish (paused queues, width 0, cycles, held \
      dependencies, operations that await 'finish'), for queues that are paused while nothing \
      waits, for priority inversions, for ready operations that higher priorities overtake again \
      and again, for bodies that block a thread while they wait, and for dependencies that \
      failed. Each finding names the command that ends it. 'why OP' explains one operation, 'why' \
      each queue.
      """,
    examples: [
      .init(
        "queue pause; delay 10ms --name a; delay 10ms --after a; doctor; queue resume; doctor; wait",
        "a forgotten pause"),
      .init("async upload { sleep 1ms }; sleep 20ms; doctor; finish upload; wait", "a jam"),
    ],
    searchTerms: [
      "stuck", "health", "check", "deadlock", "hang", "starvation", "diagnose", "wrong", "problem",
    ], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    invocation.run.mode.runDueCalls()
    let findings = Diagnosis(of: invocation.jobs).findings
    for finding in findings {
      if invocation.isJSON {
        invocation.object("doctor", fields(of: finding))
        continue
      }
      let line = StyledText(VisibleText.escape(finding.text))
      invocation.print(
        finding.cure.map { line + StyledText("  → \($0)", style: TextStyle(color: .cyan)) }
          ?? line)
    }
    if findings.isEmpty {
      let count = invocation.jobs.operations.unfinished.count
      invocation.printNothing(
        StyledText(
          "nothing is wrong: "
            + (count == 0
              ? "there are no unfinished operations"
              : "\(OperationTable.count(count, "operation")) unfinished, and all can finish")))
    }
    return .list(
      findings.map { finding in
        .record([
          .init("code", .string(finding.code)), .init("text", .string(finding.text)),
          .init("subject", .list(finding.subject.map(Value.string))),
          .init("cure", finding.cure.map(Value.string) ?? .null),
        ])
      })
  }

  private static func fields(of finding: Diagnosis.Finding) -> JSONFields {
    [
      "code": .string(finding.code), "text": .string(finding.text),
      "subject": .array(finding.subject.map(JSONValue.string)),
      "cure": .optional(finding.cure),
    ]
  }
}

extension ObjectKind {
  package static let doctor = ObjectKind(
    type: "doctor", commands: "`doctor`, one for each finding",
    keys: [
      ("code", "what kind it is, such as `queue-paused`, `awaits-finish` or `starvation`"),
      ("text", "the finding in words"), ("subject", "the names of the operations or the queue"),
      ("cure", "the command that ends it, or null"),
    ])
}
