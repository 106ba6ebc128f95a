import Foundation
import Operations
import ShellLanguage

/// `qos`: changes the quality of service of operations.
enum QoS: Command {
  static let signature = CommandSignature(
    path: ["qos"],
    summary: "Sets the quality of service of operations",
    discussion: """
      Sets the nice value of the thread that runs the body of a 'block', from its start: utility \
      is 2 above that of opsh, background 10; userInitiated and userInteractive are 2 below, if the \
      system permits it. It has no effect on requests, delays, groups and programs. It does not \
      change the order on the queue: that is what 'priority' is for.
      """,
    positionals: [
      .init(
        "operation", .name("operation"), .oneOrMore,
        help: "ids, names, patterns, 'last' or 'all'"),
      .init(
        "level", .choice(QualityOfService.shellNames.map(\.name)),
        help: "the new quality of service"),
    ],
    examples: [
      .init("queue pause; delay 10ms; qos last background; show last; queue resume", "background")
    ],
    searchTerms: ["quality", "service", "thread", "nice"])

  static func run(_ invocation: Invocation) throws -> Value {
    let operations = try invocation.operations("operation")
    guard
      let level = invocation.call.string("level").flatMap(QualityOfService.init(shellName:))
    else { return .null }
    for operation in operations { operation.qualityOfService = level }
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }
}
