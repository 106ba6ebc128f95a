package import ShellLanguage

/// Errors that commands of several groups raise, or whose codes operations fail with.
extension ErrorPage {
  package static let alreadyFinished = written("already-finished")
  package static let alreadyStarted = written("already-started")
  package static let appTerminated = written("app-terminated")
  package static let conflictingOptions = written("conflicting-options")
  package static let dependencyCycle = written("dependency-cycle")
  package static let exclusiveConflict = written("exclusive-conflict")
  package static let expectationFailed = written("expectation-failed")
  package static let missingOption = written("missing-option")
  package static let neverEnds = written("never-ends")
  package static let notFinished = written("not-finished")
  package static let operationsFailed = written("operations-failed")
  package static let queueOfGroup = written("queue-of-group")
  package static let serviceGone = written("service-gone")
  package static let timedOut = written("timed-out")
  package static let uncoded = written("error")
  package static let waitsForItself = written("waits-for-itself")

  /// Returns a page of the files in `COpshTexts/Errors`, by its topic.
  package static func written(_ topic: String) -> ErrorPage {
    guard let page = CodedPages.written[topic] else {
      preconditionFailure("no file of errors has the page '\(topic)'")
    }
    return page
  }
}
