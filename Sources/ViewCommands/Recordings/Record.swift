import CommandParts
import Foundation
import OpshJSON
import Operations
package import ShellLanguage
import ShellOutput
package import ShellSession
import OpshTerminal

/// `record`: writes the session to a file that `replay` reads.
enum Record: Command {
  static let file = Positional<String?>(
    "file", .file, help: "file to write (default: show whether something is recorded)")
  static let replace = Flag("replace", help: "replace a file that exists")

  static let path = ["record"]
  static let declaration = CommandDeclaration(
    summary: "Writes what happens to operations and queues to a file",
    discussion: """
      The recording begins with what has happened in the session so far, and goes on until \
      'record off' or the end of the session. 'replay FILE' shows it, and 'opsh --replay FILE'. The \
      file has one JSON object per line: a header, then operations, transitions, attempts of \
      requests, and a 'change' for everything else that decides what runs ('help recordings' names \
      the keys). Secrets are masked, and only the user may read the file. Not recorded are the \
      output of commands, errors, expectations, what observers report, values of operations, and \
      bodies of requests.
      """,
    positionals: [file], options: [replace],
    examples: [
      .init(
        "record run.opshrec; delay 10ms --count 3; wait; record off", "a recording of three delays"),
      .init("record", "whether something is recorded"),
    ],
    searchTerms: ["recording", "log", "trace", "save", "write", "session", "replay"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    guard let path = call[file] else { return state(invocation) }
    guard invocation.run.isOnInterpreterThread else {
      throw call.failure(.recordingInUse, "a body cannot start a recording", at: file)
    }
    if let other = invocation.run.activeRecorder {
      throw call.failure(
        .recordingInUse, "the session is being recorded to '\(other.path)' already", at: file)
    }
    // Nothing more is dropped from here on.
    invocation.jobs.engine.log.setCapacity(.max)
    defer { invocation.run.fitLogCapacity() }
    guard invocation.jobs.engine.log.isWhole else {
      throw call.failure(
        .recordingTooLate, "the log has dropped what happened first, so that nothing can replay it",
        at: file)
    }
    do throws(UnplacedError) {
      try invocation.run.beginRecording(to: path, replaces: call[replace])
    } catch {
      throw error.page.code == ErrorPage.file(EEXIST).code
        ? call.failure(.fileExists, "'\(path)' is there already", at: file)
        : call.failure(error, at: file)
    }
    if let recorder = invocation.run.activeRecorder { print(recorder, isOn: true, invocation) }
    return .string(path)
  }

  private static func state(_ invocation: Invocation) -> Value {
    guard let recorder = invocation.run.activeRecorder else {
      invocation.printNothing("nothing is recorded")
      return .null
    }
    print(recorder, isOn: true, invocation)
    return .string(recorder.path)
  }

  static func print(_ recorder: Recorder, isOn: Bool, _ invocation: Invocation) {
    let lines = OperationTable.count(recorder.count, "line")
    if invocation.isJSON {
      invocation.object(
        .recording,
        [
          "file": .string(recorder.path), "on": .boolean(isOn), "lines": .number(recorder.count),
        ])
    } else {
      invocation.printText(
        isOn ? "recording to '\(recorder.path)', \(lines) so far" : "\(lines) in '\(recorder.path)'"
      )
    }
  }
}

/// `record off`: ends the recording.
enum RecordOff: Command {
  static let path = ["record", "off"]
  static let declaration = CommandDeclaration(
    summary: "Ends the recording of the session",
    discussion: """
      What has not finished, the queues and a summary are written as the last lines. The end of the       session does the same.
      """,
    examples: [
      .init("record run.opshrec; delay 10ms; record off", "the delay is recorded as executing")
    ],
    searchTerms: ["recording", "stop", "close"])

  static func run(_ invocation: Invocation) throws -> Value {
    let recorder: Recorder?
    do {
      recorder = try invocation.run.endRecording(status: nil)
    } catch let error as UnplacedError {
      throw invocation.call.failure(error)
    }
    guard let recorder else {
      invocation.printNothing("nothing is recorded")
      return .null
    }
    Record.print(recorder, isOn: false, invocation)
    return .string(recorder.path)
  }
}

extension ErrorPage {
  package static let recordingTooLate = ErrorPage(
    "recording-too-late", "The log has dropped the beginning of the session",
    "A recording begins with the first event of the session, and the log keeps a limited number of "
      + "them: see 'set keep'. While a recording is written, it keeps what is not written yet.",
    help: "begin it before, or let 'set keep' keep more",
    wrong: "set keep 0\nblock { } --count 9000\nwait\nrecord a.opshrec",
    right: "record a.opshrec\nset keep 0\nblock { } --count 9000\nwait", proof: .running)

  package static let recordingInUse = ErrorPage(
    "recording-in-use", "The session is being recorded already",
    "A session has one recording at a time, which the interpreter's thread begins.",
    help: "'record off' ends it", wrong: "record a.opshrec\nrecord b.opshrec",
    right: "record a.opshrec\nrecord off\nrecord b.opshrec", proof: .running)
}

extension ObjectKind {
  package static let recording = ObjectKind(
    type: "recording",
    commands: "`record` and `record off` (`help recordings` names the keys in a file)",
    keys: [
      ("file", "the file that is written"), ("on", "whether it goes on"),
      ("lines", "how many lines the file has"),
    ])
}
