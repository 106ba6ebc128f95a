import Operations
import ShellLanguage

/// That an operation was asked for whose record is gone.
struct DroppedRecord: CodedFailure {
  /// What was dropped, as in `operation 3`.
  let what: String
  var isPlural = false
  /// How many are kept at the moment.
  let limit: Int?
  /// How many bytes of values and texts are kept at the moment.
  let sizeLimit: Int?

  init(what: String, isPlural: Bool = false, in registry: OperationRegistry) {
    self.what = what
    self.isPlural = isPlural
    limit = registry.limit
    sizeLimit = registry.sizeLimit
  }

  var code: String { "record-dropped" }

  var message: String {
    isPlural ? "the records of \(what) were dropped" : "the record of \(what) was dropped"
  }

  var help: String? {
    var kept = limit.map { "the latest \($0) finished operations are kept" } ?? "all are kept now"
    if let sizeLimit {
      kept += ", with up to \(Value.size(Int64(sizeLimit)).text) of values and texts"
    }
    return "\(kept); 'set keep N' or 'set keep SIZE' keeps more from now on, a variable keeps one"
  }

  func diagnostic(_ call: CommandCall, at argument: String) -> Diagnostic {
    call.failure(code, message, at: argument, help: help)
  }
}

extension Session {
  /// The record of the operation of that name, if it was dropped.
  ///
  /// The names of what was dropped are kept nowhere but in the log, which is searched for them: that
  /// takes time in proportion to its length, and happens only where a name is not known.
  func droppedRecord(named name: String) -> DroppedRecord? {
    findDropped { $0 == name }.map { record(of: $0) }
  }

  /// The record of one whose name matches a pattern, if it was dropped.
  func droppedRecord(matching pattern: String) -> DroppedRecord? {
    let pattern = GlobPattern(pattern)
    return findDropped { pattern.matches($0) }.map { record(of: $0) }
  }

  /// The record of the operation that was built last, if it was dropped.
  func droppedRecord(ofLast: Void) -> DroppedRecord? {
    operations.lastIdentity.flatMap { last in
      operations.wasDropped(last.id) ? record(of: last.name) : nil
    }
  }

  private func record(of name: String) -> DroppedRecord {
    DroppedRecord(what: "'\(name)'", in: operations)
  }

  private func findDropped(where isWanted: (String) -> Bool) -> String? {
    guard operations.hasDropped else { return nil }
    let size = 4096
    var end = log.count
    while end > 0 {
      let start = max(0, end - size)
      let (entries, _) = log.entries(from: start, limit: end - start)
      for entry in entries.reversed() where entry.to == .finished {
        let identity = entry.operation
        if isWanted(identity.name), operations.wasDropped(identity.id) { return identity.name }
      }
      // What comes before was let go.
      guard entries.count == end - start else { return nil }
      end = start
    }
    return nil
  }
}
