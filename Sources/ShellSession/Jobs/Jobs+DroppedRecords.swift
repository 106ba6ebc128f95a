import Operations
package import ShellLanguage

extension UnplacedError {
  /// Operations were named whose records were dropped, as in `operation 3`.
  static func droppedRecord(
    of what: String, isPlural: Bool = false, in registry: OperationRegistry
  ) -> UnplacedError {
    var kept =
      registry.limit.map { "the latest \($0) finished operations are kept" } ?? "all are kept now"
    if let size = registry.sizeLimit {
      kept += ", with up to \(Value.size(Int64(size)).text) of values and texts"
    }
    return UnplacedError(
      .recordDropped,
      isPlural ? "the records of \(what) were dropped" : "the record of \(what) was dropped",
      help: "\(kept); 'set keep N' or 'set keep SIZE' keeps more from now on, a variable keeps one")
  }
}

extension Jobs {
  /// Returns the dropped record of the operation with that name, if there was one.
  ///
  /// Only the log has the names of dropped operations. The search takes time proportional to the
  /// length of the log, and happens only for unknown names.
  func droppedRecord(named name: String) -> UnplacedError? {
    findDropped { $0 == name }.map { record(of: $0) }
  }

  /// Returns the dropped record of an operation whose name matches a pattern, if there was one.
  func droppedRecord(matching pattern: String) -> UnplacedError? {
    let pattern = GlobPattern(pattern)
    return findDropped { pattern.matches($0) }.map { record(of: $0) }
  }

  /// The dropped record of the operation that was built last, if it was dropped.
  var droppedRecordOfLast: UnplacedError? {
    operations.lastIdentity.flatMap { last in
      operations.wasDropped(last.id) ? record(of: last.name) : nil
    }
  }

  private func record(of name: String) -> UnplacedError {
    .droppedRecord(of: "'\(name)'", in: operations)
  }

  private func findDropped(where isWanted: (String) -> Bool) -> String? {
    guard operations.hasDropped else { return nil }
    let size = 4096
    var end = engine.log.count
    while end > 0 {
      let start = max(0, end - size)
      let (entries, _) = engine.log.entries(from: start, limit: end - start)
      for entry in entries.reversed() where entry.to == .finished {
        let identity = entry.operation
        if isWanted(identity.name), operations.wasDropped(identity.id) { return identity.name }
      }
      // Earlier entries were discarded.
      guard entries.count == end - start else { return nil }
      end = start
    }
    return nil
  }
}

extension ErrorPage {
  package static let recordDropped = ErrorPage(
    "record-dropped", "The record of the operation was dropped",
    "Only the latest finished operations are kept, 100,000 by default, and fewer where the texts "
      + "of their errors take more than 64MB. 'set keep' sets both limits.",
    wrong: "set keep 1\ndelay 1ms --count 3\nwait\ndelay 1ms\nwait\nshow delay-1",
    right: "set keep 10\ndelay 1ms --count 3\nwait\nshow delay-1", proof: .unproven)
}
