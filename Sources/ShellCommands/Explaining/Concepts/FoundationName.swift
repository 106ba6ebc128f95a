/// A public name of Foundation's operation classes, and what of opsh it leads to.
package struct FoundationName: Sendable {
  /// The class that has it.
  package let type: String
  /// The name as Swift writes it, with its argument labels.
  package let name: String
  /// What to type in opsh for it.
  package let form: String
  /// The words after `help` of the page that explains it.
  package let page: String

  private init(_ type: String, _ name: String, _ form: String, _ page: String) {
    self.type = type
    self.name = name
    self.form = form
    self.page = page
  }

  /// The name without its argument labels, in small letters.
  private var base: String { String(name.prefix { $0 != "(" }).lowercased() }

  /// Whether a word is this name: with or without its class and its argument labels.
  package func isNamed(_ word: String) -> Bool {
    var word = word.lowercased()
    if word.hasPrefix("ns") { word.removeFirst(2) }
    for type in ["operation.", "blockoperation.", "operationqueue.", "\\."]
    where word.hasPrefix(type) {
      if type != "\\.", type != self.type.lowercased() + "." { continue }
      word.removeFirst(type.count)
      break
    }
    let labels = word.firstIndex(of: "(").map { word[$0...] } ?? ""
    guard labels.isEmpty || labels == "()" || name.lowercased().hasSuffix(labels) else {
      return false
    }
    return word.prefix { $0 != "(" } == base
  }

  /// Whether a word is a part of the name.
  package func contains(_ word: String) -> Bool { base.contains(word.lowercased()) }

  /// The public methods and properties of `Operation`, `BlockOperation` and `OperationQueue`.
  package static let all: [FoundationName] = operation + blockOperation + operationQueue

  private static let operation: [FoundationName] = [
    .init("Operation", "init()", "delay, block, async, fetch", "states"),
    .init("Operation", "start()", "start NAME", "start"),
    .init("Operation", "main()", "block { … }", "main"),
    .init("Operation", "cancel()", "cancel NAME", "cancel"),
    .init("Operation", "isCancelled", "observe NAME isCancelled", "isCancelled"),
    .init("Operation", "isExecuting", "observe NAME isExecuting", "isExecuting"),
    .init("Operation", "isFinished", "observe NAME isFinished", "isFinished"),
    .init("Operation", "isConcurrent", "async NAME { … }", "isAsynchronous"),
    .init("Operation", "isAsynchronous", "async NAME { … }", "isAsynchronous"),
    .init("Operation", "isReady", "observe NAME isReady", "isReady"),
    .init("Operation", "name", "name NAME NEW", "name"),
    .init("Operation", "addDependency(_:)", "deps NAME on OTHER", "dependencies"),
    .init("Operation", "removeDependency(_:)", "deps NAME off OTHER", "dependencies"),
    .init("Operation", "dependencies", "deps NAME", "dependencies"),
    .init("Operation", "queuePriority", "priority NAME LEVEL", "priority"),
    .init("Operation", "QueuePriority", "priority NAME LEVEL", "priority"),
    .init("Operation", "completionBlock", "on NAME finished { … }", "completionBlock"),
    .init("Operation", "waitUntilFinished()", "wait NAME", "wait"),
    .init("Operation", "threadPriority", "qos NAME LEVEL", "qos"),
    .init("Operation", "qualityOfService", "qos NAME LEVEL", "qos"),
  ]

  private static let blockOperation: [FoundationName] = [
    .init("BlockOperation", "init(block:)", "block { … }", "main"),
    .init(
      "BlockOperation", "addExecutionBlock(_:)", "group NAME { block { … }; block { … } }", "group"),
    .init("BlockOperation", "executionBlocks", "tree NAME", "group"),
  ]

  private static let operationQueue: [FoundationName] = [
    .init("OperationQueue", "init()", "queue new NAME", "queue"),
    .init("OperationQueue", "addOperation(_:)", "queue add NAME QUEUE, or --queue", "queue add"),
    .init(
      "OperationQueue", "addOperations(_:waitUntilFinished:)", "start a b; wait a b", "start"),
    .init("OperationQueue", "addBarrierBlock(_:)", "queue barrier { … }", "barrier"),
    .init("OperationQueue", "maxConcurrentOperationCount", "queue width N", "width"),
    .init("OperationQueue", "defaultMaxConcurrentOperationCount", "queue width -1", "width"),
    .init("OperationQueue", "isSuspended", "queue pause, queue resume", "queue pause"),
    .init("OperationQueue", "name", "queue new NAME", "queue"),
    .init("OperationQueue", "qualityOfService", "queue qos LEVEL", "qos"),
    .init("OperationQueue", "underlyingQueue", "stats threads", "threads"),
    .init("OperationQueue", "cancelAllOperations()", "queue cancel", "queue cancel"),
    .init("OperationQueue", "waitUntilAllOperationsAreFinished()", "wait queue", "wait queue"),
    .init("OperationQueue", "operations", "queue show", "queue show"),
    .init(
      "OperationQueue", "operationCount", "observe queue NAME operationCount", "observe queue"),
    .init("OperationQueue", "progress", "stats, observe NAME progress", "stats"),
    .init("OperationQueue", "main", "--queue main", "main-queue"),
    .init("OperationQueue", "current", "show NAME", "show"),
  ]
}
