import Foundation
import TestSupport
import Testing

@testable import ShellCommands
@testable import OpshTranscripts

@Suite("The first questions of a newcomer", .timeLimit(.minutes(2)))
struct FirstQuestionsTests {
  static let path = PackageFolder.path + "/Tests/Transcripts/first-questions.txt"

  /// The lines that answer one question.
  struct Question {
    let text: String
    let steps: [Transcript.Step]
  }

  static func questions() throws -> [Question] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let steps = try Transcript(parsing: text).steps
    let starts = steps.indices.filter { steps[$0].input.hasPrefix("# ") }
    return starts.enumerated().map { index, start in
      let end = index + 1 < starts.count ? starts[index + 1] : steps.endIndex
      return Question(text: steps[start].input, steps: Array(steps[(start + 1)..<end]))
    }
  }

  @Test("The transcript of the ten questions is what opsh prints")
  func runs() throws {
    let outcome = try ChildProcess.run(
      try BuiltProducts.executable("opsh"),
      arguments: ["--no-rc", "--no-history", "--test", Self.path],
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
        "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": "xterm",
      ],
      timeout: .seconds(60))
    #expect(!outcome.timedOut)
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }

  @Test("Each question is answered by apropos, the page that it finds, and the experiment there")
  func form() throws {
    let questions = try Self.questions()
    #expect(questions.count == 10)
    for question in questions {
      #expect(question.steps.count == 3, "\(question.text)")
      guard question.steps.count == 3 else { continue }
      let (search, help, experiment) = (question.steps[0], question.steps[1], question.steps[2])
      #expect(search.input.hasPrefix("apropos "), "\(question.text)")
      let page = try #require(help.input.split(separator: " ").last.map(String.init))
      #expect(help.input == "help \(page)")
      #expect(
        search.output.contains { $0.hasPrefix("help \(page) ") || $0.hasPrefix("\(page) ") },
        "\(question.text): apropos leads to the page")
      let concept = try #require(Concept.all.first { $0.name == page })
      #expect(experiment.input == concept.experiment.replacing("\n", with: "; "))
      let shown = experiment.output.joined(separator: "\n")
      #expect(shown.contains(concept.shows), "\(question.text): the experiment shows the answer")
    }
  }
}
