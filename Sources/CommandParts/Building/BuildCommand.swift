package import Operations
package import ShellLanguage
package import ShellSession

/// A command that builds operations with the options of ``BuildOptions``.
package protocol BuildCommand: Command {
  /// What it builds.
  static var kind: OperationKind { get }
}

extension BuildCommand {
  package static var builds: OperationKind? { kind }
}

extension Command {
  package static func names(createdBy call: CommandCall) -> [CreatedName] {
    builds?.names(createdBy: call) ?? []
  }

  package static func value(of call: CommandCall) -> StaticKind {
    if builds == nil { return .unknown }
    return call.mentions(BuildOptions.count) ? .oneOf(.list) : .object("operation")
  }
}

extension OperationKind {
  /// The kinds whose bodies are statements.
  package static let block = OperationKind("block")
  package static let async = OperationKind("async")

  /// The names of what a call builds, as far as they are known before it runs.
  ///
  /// - Parameters:
  ///   - call: A call with the options `--name` and `--count`.
  ///   - count: How many it builds; nil where only running shows it.
  /// - Returns: The names.
  package func names(createdBy call: CommandCall, count: Int?) -> [CreatedName] {
    guard let name = call.known(BuildOptions.name) else {
      return CreatedName.operations(nil, count: count)
    }
    return CreatedName.operations(name, count: count, word: word)
  }

  package func names(createdBy call: CommandCall) -> [CreatedName] {
    names(createdBy: call, count: call.known(BuildOptions.count))
  }
}

extension CreatedName {
  /// The names of operations that are built with a name, a number of them, or neither.
  ///
  /// - Parameters:
  ///   - name: The name that a call gives; nil where it gives none, or only running shows it.
  ///   - count: How many are built; nil where only running shows it.
  ///   - word: What those without a name are called by; nil where they may have any name.
  /// - Returns: The names.
  package static func operations(
    _ name: String?, count: Int?, word: String? = nil
  ) -> [CreatedName] {
    let many = count ?? 1_000_000
    let extents: [Extent] =
      if let name {
        // One of unknown number may be the only one, which has the name as it is.
        (count == 1 || count == nil ? [.exact(name)] : [])
          + (count == 1 ? [] : [.numbered(name, count: many)])
      } else {
        [word.map { .numbered($0, count: many) } ?? .anything]
      }
    return extents.map { CreatedName("operation", $0) }
  }

  /// Any names at all.
  package static let anything = [
    CreatedName("operation", .anything), CreatedName("queue", .anything),
    CreatedName("open group", .anything),
  ]
}

extension Invocation {
  /// The queue that operations of a kind are added to where the call does not say: the one that the
  /// kind is routed to, or the default one.
  package func queue(for kind: OperationKind) throws -> InspectableQueue {
    try kind.route.flatMap { jobs.queues.route(of: $0) } ?? queue()
  }

  /// The process that runs that queue or the one that '--queue' names; nil for a queue of opsh.
  package func foundationLink(for kind: OperationKind) throws -> FoundationLink? {
    try (call[BuildOptions.queue] == nil ? queue(for: kind) : queue()).driver as? FoundationLink
  }

  /// The queue that '--queue' names; the default one without it.
  package func queue() throws -> InspectableQueue { try queue(BuildOptions.queue) }
}
