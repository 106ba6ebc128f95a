import BuildCommands
import CommandParts
import Foundation
import InspectCommands
package import Operations
import OpshProcesses
package import ShellLanguage
import ShellOutput
import ShellSession
import SteerCommands
import ViewCommands
import WorldCommands

/// The list of all errors and warnings: the language's, the shell's, and those whose codes come from
/// the engine, the network and the practice server.
package enum ErrorCatalog {
  /// The pages in the groups in which `explain` lists them.
  static let groups: [(title: String, pages: [ErrorPage])] =
    LanguageErrors.groups + [
      (
        "Finding operations and queues",
        [
          .oneOperation, .notAnOperation, .recordDropped, .valueDropped, .badLimit, .badPrompt,
          .badSpeed,
          .unknownObserver, .unknownFilter, .selectionWord, .badMoment, .noMoment, .momentDropped,
        ]
      ),
      (
        "Building and steering",
        [
          .alreadyStarted, .underConstruction, .fixedWidth, .fixedQuality, .defaultQueue,
          .queueOfGroup,
          .queueNotEmpty, .dependencyCycle, .noSuchDependency, .waitsForItself, .neverEnds,
          .neverRan, .notFinished, .noTweets, .notFinishable, .notOpen, .noPhase, .notPaused,
          .alreadyFinished,
          .finishBeforeStart,
          .recipeDropped,
        ] + CodedPages.engine
      ),
      (
        "How operations end",
        [.timedOut, .operationsFailed, .script, .expectationFailed, .interrupted]
          + CodedPages.engineOutcomes
      ),
      (
        "The network",
        CodedPages.networking + CodedPages.tls + [
          .unsafeRetry, .badHeader, .badFormField, .conflictingOptions, .notARequest,
          .missingOption,
          .inputInUse, .badOutput, .badAuth, .missingSecret, .readableSecret,
        ]
      ),
      (
        "The practice server and the service",
        [
          .serviceGone, .badCommandLine, .missingService, .incompleteCredentials, .appTerminated,
          .clockInUse, .clockAhead, .clockEnds, .notVirtual, .needsVirtualClock, .stepInBody,
          .cannotGoBack, .notAtTopLevel,
          .notRunning, .notSet, .badJitter, .notFollowing,
        ] + CodedPages.practiceServer
      ),
      ("What is kept", CodedPages.stores + [.noTags, .badArguments, .quoteAmbiguous]),
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
      (
        "The run",
        [
          .unknownAlias, .badTranscript, .needsTerminal, .historyWord, .unknownLine, .badBinding,
          .failed,
        ]
      ),
    ]

  /// Every page.
  package static let pages: [ErrorPage] = groups.flatMap(\.pages)

  private static let index = PageIndex(pages)

  /// The page of a code as errors show it.
  package static func page(_ code: String) -> ErrorPage? { index.page(code) }

  /// The page of an error, that of its cause if its code has several.
  package static func page(for error: any CodedError) -> ErrorPage { index.page(for: error) }

  /// The text of a page, line by line, for a terminal of that many columns if there is one.
  package static func lines(of page: ErrorPage, terminal: Int? = nil) -> [String] {
    func example(_ text: String) -> [String] {
      text.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }
    }
    var lines = ["\(page.topic): \(page.summary)", ""]
    lines += Prose.wrap(page.meaning, terminal: terminal)
    if let help = page.help {
      lines += [""] + Prose.wrap("Help: \(help).", terminal: terminal)
    }
    let others = pages.filter { $0.code == PageIndex.stem(of: page.code) && $0.topic != page.topic }
    if !others.isEmpty {
      let topics = others.map(\.topic).joined(separator: ", ")
      let text = "The same code with another cause: \(topics)."
      lines += [""] + Prose.wrap(text, terminal: terminal)
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
    Spelling.help(for: PageIndex.stem(of: code), among: pages.map(\.topic)) ?? "'\(list)' lists all"
  }
}
