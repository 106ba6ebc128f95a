import Foundation
import Networking
package import Operations
import Processes
package import ShellLanguage
import ShellOutput
import ShellSession

/// The list of all errors and warnings: the language's, the shell's, and those whose codes come from
/// the engine, the network and the practice server.
package enum ErrorCatalog {
  /// The pages in the groups in which `explain` lists them.
  static let groups: [(title: String, pages: [ErrorPage])] =
    LanguageErrors.groups + [
      (
        "Finding operations and queues",
        [
          .oneOperation, .notAnOperation, .recordDropped, .valueDropped, .badLimit,
          .unknownObserver, .unknownFilter,
        ]
      ),
      (
        "Building and steering",
        [
          .alreadyStarted, .underConstruction, .fixedWidth, .defaultQueue, .queueOfGroup,
          .queueNotEmpty, .dependencyCycle, .noSuchDependency, .waitsForItself, .neverEnds,
          .neverRan, .notFinished, .noTweets, .notFinishable, .notOpen, .alreadyFinished,
          .finishBeforeStart,
          .recipeDropped,
        ] + engine
      ),
      (
        "How operations end",
        [.timedOut, .operationsFailed, .script, .expectationFailed, .interrupted] + engineOutcomes
      ),
      (
        "The network",
        networking + tls + [
          .unsafeRetry, .badHeader, .badFormField, .conflictingOptions, .notARequest,
          .missingOption,
          .inputInUse, .badOutput, .badAuth, .missingSecret, .readableSecret,
        ]
      ),
      (
        "The practice server and the service",
        [
          .serviceGone, .badCommandLine, .missingService, .incompleteCredentials, .appTerminated,
          .clockInUse, .clockAhead, .clockEnds, .notVirtual, .notRunning, .notSet, .badJitter,
          .notFollowing,
        ] + practiceServer
      ),
      ("What is kept", stores + [.noTags, .badArguments, .quoteAmbiguous]),
      (
        "Files and programs",
        [
          .file, .fileExists, .nothingTyped, .unknownEnding, .nothingToExport,
          .recordingInUse, .recordingTooLate, .badRecording, .recordingFormat, .sessionInUse,
          .inReplay, .notRecorded,
          .alreadyServed,
          .badProgram,
          .badArgument, .exitStatus, .signal,
        ]
      ),
      ("The run", [.unknownAlias, .badTranscript, .needsTerminal, .historyWord, .failed]),
    ]

  /// Every page.
  package static let pages: [ErrorPage] = groups.flatMap(\.pages)

  private static let byTopic: [String: ErrorPage] = Dictionary(
    pages.map { ($0.topic, $0) }, uniquingKeysWith: { first, _ in first })

  /// The page of a code as errors show it: parentheses after it, as in `file(2)`, and brackets
  /// around it are ignored, except for a status with a page of its own.
  package static func page(_ code: String) -> ErrorPage? {
    let stem = stem(of: code)
    if stem == "invalid-status-code", let status = Int(code.filter(\.isNumber)) {
      return byTopic[NetworkError.invalidStatusCode(status).topic] ?? byTopic[stem]
    }
    return byTopic[stem]
  }

  private static func stem(of code: String) -> String {
    let bare = code.hasPrefix("[") && code.hasSuffix("]") ? code.dropFirst().dropLast() : code[...]
    return String(bare.prefix { $0 != "(" })
  }

  /// The page of an error, that of its cause if its code has several.
  package static func page(for error: any CodedError) -> ErrorPage {
    guard error.topic != error.code, var page = page(error.topic) else {
      return page(for: error.code)
    }
    page.code = error.code
    return page
  }

  /// The help for the failure of an operation: why no attempt followed, where the page says '--retry'
  /// and the operation has it; nil for the help of the page.
  package static func help(
    for failure: OperationFailure, of operation: ObservableOperation?
  ) -> String? {
    page(for: failure).help?.contains("'--retry ") == true ? operation?.retryEnd : nil
  }

  /// The page of an error of the engine, the network or a store, with the error's whole code.
  package static func page(for code: String) -> ErrorPage {
    if code.hasPrefix("file("), let number = Int32(code.dropFirst(5).dropLast()) {
      return .file(number)
    }
    var page = page(code) ?? .uncoded
    page.code = code
    return page
  }

  /// The text of a page, line by line, for a terminal of that many columns if there is one.
  package static func lines(of page: ErrorPage, terminal: Int? = nil) -> [String] {
    func example(_ text: String) -> [String] {
      text.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }
    }
    var lines = ["\(page.topic): \(page.summary)", ""]
    lines += HelpPage.wrap(page.meaning, terminal: terminal)
    if let help = page.help {
      lines += [""] + HelpPage.wrap("Help: \(help).", terminal: terminal)
    }
    let others = pages.filter { $0.code == stem(of: page.code) && $0.topic != page.topic }
    if !others.isEmpty {
      let topics = others.map(\.topic).joined(separator: ", ")
      let text = "The same code with another cause: \(topics)."
      lines += [""] + HelpPage.wrap(text, terminal: terminal)
    }
    lines += ["", "Wrong:"] + example(page.wrong) + ["", "Right:"] + example(page.right)
    return lines
  }

  /// All codes with their summaries, in groups, line by line.
  package static var overview: [String] {
    let width = pages.map(\.topic.count).max() ?? 0
    var lines: [String] = []
    for (title, pages) in groups {
      if !lines.isEmpty { lines.append("") }
      lines.append(title)
      for page in pages {
        lines.append(
          "  " + page.topic + String(repeating: " ", count: width - page.topic.count + 2)
            + page.summary)
      }
    }
    return lines
  }

  /// Help for an unknown code.
  package static func help(forUnknown code: String, list: String) -> String {
    Spelling.help(for: stem(of: code), among: pages.map(\.topic)) ?? "'\(list)' lists all"
  }
}
