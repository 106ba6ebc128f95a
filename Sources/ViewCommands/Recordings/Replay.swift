import CommandParts
import Operations
package import ShellLanguage
import ShellOutput
import ShellSession
import OpshSupport

/// `replay`: shows a recorded session.
enum Replay: Command {
  static let file = Positional<String>("file", .file, help: "recording to show")

  static let path = ["replay"]
  static let declaration = CommandDeclaration(
    summary: "Shows a recorded session: its operations and queues, as they were at its end",
    discussion: """
      'ops', 'show', 'why', 'timeline', 'stats', 'blame', 'log', 'tree' and 'export' answer as in \
      the session that 'record' wrote, at the moment of its last line. Nothing runs: commands that \
      build or change something are refused, and so are 'endpoint', 'set clock', 'set seed' and \
      'set keep' without a value. Values and bodies are not recorded. 'app', 'queue route', \
      'server', 'tags', 'quotes', 'cache', 'observers', 'set' and 'stats threads' answer for this \
      session, not for the recorded one. The session must not have built an operation before; \
      'opsh --replay FILE' starts with the recording.
      """,
    positionals: [file],
    examples: [
      .init("record run.opshrec; record off; replay run.opshrec; queue", "the recorded queues")
    ],
    searchTerms: ["recording", "record", "inspect", "load", "post-mortem"])

  /// What the recording holds.
  static func names(createdBy call: CommandCall) -> [CreatedName] {
    CreatedName.anything + [CreatedName("queue", .anything)]
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let path = call[file]
    guard invocation.run.activeRecorder == nil else {
      throw call.failure(
        .recordingInUse, "a session that is being recorded cannot show a recording", at: file)
    }
    guard invocation.run.isOnInterpreterThread, invocation.jobs.operations.count == 0 else {
      throw call.failure(
        .sessionInUse, "a recording cannot be shown in a session that has operations of its own",
        at: file)
    }
    let recording: Recording
    do {
      recording = try invocation.run.replay(
        try read(path, invocation),
        origin: .init(source: invocation.context.source, range: call.range))
    } catch let problem as Recording.Problem {
      throw failure(problem, path, call)
    }
    tell(of: recording, path, invocation)
    return .string(path)
  }

  private static func read(_ path: String, _ invocation: Invocation) throws -> [UInt8] {
    do {
      return try WholeFile.bytes(of: invocation.outside.path(path), invocation.run.attendBlocked)
    } catch let failure as WholeFile.Failure {
      throw invocation.call.failure(UnplacedError.file(path, failure.number), at: file)
    }
  }

  private static func failure(
    _ problem: Recording.Problem, _ path: String, _ call: CommandCall
  ) -> Diagnostic {
    switch problem {
    case .line(let line, let message):
      call.failure(.badRecording, "'\(path)', line \(line): \(message)", at: file)
    case .format(let format):
      call.failure(
        .recordingFormat,
        "'\(path)' has format \(format), and this opsh reads format \(RecordingFormat.version)",
        at: file)
    }
  }

  private static func tell(of recording: Recording, _ path: String, _ invocation: Invocation) {
    let operations = invocation.jobs.operations.all
    let unfinished = operations.count { $0.state != .finished }
    var parts = [
      OperationTable.count(operations.count, "operation"),
      "\(DurationText(recording.length))",
    ]
    if unfinished > 0 { parts.insert("\(unfinished) unfinished", at: 1) }
    let day = invocation.run.clock.timestamp(invocation.run.clock.startInstant)
    invocation.printText("recording of \(day): " + parts.joined(separator: ", "))
    if recording.isCutOff {
      invocation.screen.remark("the last line of '\(path)' breaks off, and is left out")
    } else if !recording.isComplete {
      invocation.screen.remark("'\(path)' was not ended: its session may have gone on")
    }
  }
}

extension ErrorPage {
  package static let badRecording = ErrorPage(
    "bad-recording", "The file is not a recording that can be shown",
    "A line of it is not what the format requires, or cannot follow the lines before it.",
    help: "'record' writes recordings", wrong: "echo hello > a.opshrec\nreplay a.opshrec",
    right: "record a.opshrec\nrecord off\nreplay a.opshrec", proof: .running)

  package static let recordingFormat = ErrorPage(
    "recording-format", "The recording has a later format",
    "It was written by a later version of opsh, which may record what this version cannot show.",
    help: "a later version of opsh shows it",
    wrong: "(replay a.opshrec, where a later version of opsh has written that file)",
    right: "record a.opshrec\nrecord off\nreplay a.opshrec")

  package static let sessionInUse = ErrorPage(
    "session-in-use", "The session has operations of its own",
    "A recording is shown in a session without operations, so that numbers and names mean those of "
      + "the recording.",
    help: "'opsh --replay FILE' starts with the recording", wrong: "delay 1ms\nreplay a.opshrec",
    right: "record a.opshrec\nrecord off\nreplay a.opshrec", proof: .running)
}
