import Foundation
import TestSupport
import Testing

/// One of the scripts in `Tests/Scripts`, with the expected results of its run.
struct KeptScript: Sendable, CustomTestStringConvertible {
  let name: String
  /// The script without the lines that describe the results.
  let text: String
  let output: [String]
  let status: Int32
  /// The files that it creates, with their text.
  let files: [String: String]

  var testDescription: String { name }

  static let folder = PackageFolder.path + "/Tests/Scripts"

  static let all: [KeptScript] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".opsh") }.sorted().map(KeptScript.init)
  }()

  /// Scripts that can be typed: a tab triggers completion, and each line has places of its own.
  static let typeable = all.filter { script in
    !script.text.contains("\t") && !script.text.contains(".line")
      && !script.output.contains { $0.contains("\t") }
  }

  /// A quarter of the scripts, different for each way of running; all in the long run.
  static func share(_ way: Int, of scripts: [KeptScript] = KeptScript.all) -> [KeptScript] {
    let step = max(1, 4 / TestScale.count(1, long: 4))
    return scripts.enumerated().filter { ($0.offset + way) % step == 0 }.map(\.element)
  }

  init(file: String) {
    name = file
    let lines = ((try? String(contentsOfFile: Self.folder + "/" + file, encoding: .utf8)) ?? "")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    text = lines.filter { !$0.hasPrefix("#=") && !$0.hasPrefix("#>") && !$0.hasPrefix("#+") }
      .joined(separator: "\n")
    output = lines.filter { $0.hasPrefix("#>") }.map { String($0.dropFirst(3)) }
    status = lines.first { $0.hasPrefix("#= ") }.flatMap { Int32($0.dropFirst(3)) } ?? 0
    var files: [String: String] = [:]
    for line in lines where line.hasPrefix("#+ ") {
      let parts = line.dropFirst(3).split(separator: ":", maxSplits: 1)
      files[String(parts[0])] =
        parts.count > 1 && !parts[1].isEmpty
        ? parts[1].dropFirst().replacing("\\n", with: "\n") + "\n" : ""
    }
    self.files = files
  }
}

@Suite("Scripts in every way of running", .timeLimit(.minutes(15)))
struct SameScriptsTests {
  @Test("There are sixty scripts, each with its expected results")
  func kept() {
    #expect(KeptScript.all.count >= 60)
    for script in KeptScript.all {
      #expect(
        !script.output.isEmpty || !script.files.isEmpty || script.status != 0, "\(script.name)")
    }
  }

  private func check(
    _ outcome: ChildProcess.Outcome, _ script: KeptScript, in folder: TemporaryFolder,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      outcome.outputLines == script.output, "\(outcome.errors)", sourceLocation: sourceLocation)
    #expect(outcome.status == script.status, "\(outcome.errors)", sourceLocation: sourceLocation)
    try checkFiles(script, in: folder, sourceLocation: sourceLocation)
  }

  private func checkFiles(
    _ script: KeptScript, in folder: TemporaryFolder, sourceLocation: SourceLocation
  ) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { !$0.hasPrefix(".") && $0 != "bin" }
    #expect(Set(names) == Set(script.files.keys), sourceLocation: sourceLocation)
    for (name, text) in script.files {
      #expect(folder.read(name) == text, sourceLocation: sourceLocation)
    }
  }

  @Test("A script runs as a file", arguments: KeptScript.share(0))
  func file(_ script: KeptScript) throws {
    let folder = try TemporaryFolder()
    let path = KeptScript.folder + "/" + script.name
    try check(Opsh.run([path], directory: folder.path), script, in: folder)
  }

  @Test("A script runs with '-c'", arguments: KeptScript.share(1))
  func text(_ script: KeptScript) throws {
    let folder = try TemporaryFolder()
    try check(Opsh.run(["-c", script.text], directory: folder.path), script, in: folder)
  }

  @Test("A script runs on standard input", arguments: KeptScript.share(2))
  func standardInput(_ script: KeptScript) throws {
    let folder = try TemporaryFolder()
    try check(Opsh.run([], input: script.text, directory: folder.path), script, in: folder)
  }

  @Test("A script runs as a program, by its first line", arguments: KeptScript.share(3))
  func shebang(_ script: KeptScript) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/bin", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/bin/opsh",
      withDestinationPath: try BuiltProducts.executable("opsh"))
    let program = try folder.write(script.text, to: "bin/script", permissions: 0o755)
    let path = Opsh.environment()["PATH"] ?? ""
    let outcome = try ChildProcess.run(
      program, environment: Opsh.environment(["PATH": folder.path + "/bin:" + path]),
      directory: folder.path)
    #expect(!outcome.timedOut)
    try check(outcome, script, in: folder)
  }

  @Test("A script runs through 'source'", arguments: KeptScript.share(4))
  func source(_ script: KeptScript) throws {
    let folder = try TemporaryFolder()
    let path = KeptScript.folder + "/" + script.name
    try check(
      Opsh.run(["-c", "source '\(path)'"], directory: folder.path), script, in: folder)
  }

  @Test(
    "A script runs typed at the prompt, where only 'exit' sets the status",
    arguments: KeptScript.share(5, of: KeptScript.typeable))
  func prompt(_ script: KeptScript) throws {
    let folder = try TemporaryFolder()
    let session = try PromptSession(
      columns: 160, rows: 50, arguments: ["--no-rc", "--no-history"], directory: folder.path)
    // Pasted at once: text typed while a line runs waits for the next prompt.
    session.terminal.write(script.text.replacing("\n", with: "\r") + "\rquit\r")
    session.expectExit(script.text.contains("\nexit 7") ? 7 : 0)
    // At the prompt an error ends only its line; such a line fails in a script, too.
    let hasError = session.lines.contains { $0.hasPrefix("error: ") || $0.contains(": error: ") }
    #expect(
      !hasError || [1, 2].contains(script.status), "\(session.lines.joined(separator: "\n"))")
    // If the script fails, the prompt shows an error or a failed operation.
    let hasFailed = session.lines.contains { $0.contains("→ finished") && $0.contains("✗") }
    #expect(
      hasError || hasFailed || ![1, 2].contains(script.status),
      "\(session.lines.joined(separator: "\n"))")
    var lines = session.lines[...]
    for line in script.output {
      let index = lines.firstIndex {
        $0.trimmingCharacters(in: .whitespaces) == line.trimmingCharacters(in: .whitespaces)
      }
      #expect(index != nil, "no '\(line)' in:\n\(session.lines.joined(separator: "\n"))")
      lines = lines[(index.map { $0 + 1 } ?? lines.startIndex)...]
    }
    try checkFiles(script, in: folder, sourceLocation: #_sourceLocation)
  }

  @Test(
    "A run ended by a signal inside a pipe into a file replaces nothing, and keeps what it appended",
    arguments: [(">", "old\n"), (">>", "old\nnew\n")])
  func endedInPipe(_ sign: String, _ content: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("old\n", to: "kept")
    let child = try RunningChild(
      try BuiltProducts.executable("opsh"),
      arguments: [
        "-c", "echo new | sh -c 'cat; echo begun >&2; exec sleep 60' \(sign) kept; echo never",
      ],
      environment: Opsh.environment(), directory: folder.path)
    #expect(child.read(timeout: .seconds(30)) { _, errors in errors.contains("begun") })
    child.send(signal: SIGTERM)
    let outcome = child.communicate(timeout: .seconds(30))
    #expect(outcome.status == 128 + SIGTERM)
    #expect(outcome.output == "")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["kept"])
    #expect(folder.read("kept") == content)
  }

  @Test(
    "A standard input that ends inside a statement is an error, and the statement does not run")
  func cutInput() throws {
    let folder = try TemporaryFolder()
    let outcome = try Opsh.run(
      [], input: "echo one > kept\nrepeat 2 {\n  echo two > kept\n  echo thr",
      directory: folder.path)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("<stdin>:2:10: error:"), "\(outcome.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["kept"])
    #expect(folder.read("kept") == "one\n")
  }

  @Test("A run ended by a signal or a closed reader leaves no partial file")
  func ended() throws {
    let folder = try TemporaryFolder()
    try folder.write("old\n", to: "kept")
    let script = "echo begun; for n in (1..1000000) { echo $n > kept; sleep 1ms }"
    let child = try RunningChild(
      try BuiltProducts.executable("opsh"), arguments: ["-c", script],
      environment: Opsh.environment(), directory: folder.path)
    #expect(child.read(timeout: .seconds(30)) { output, _ in output.contains("begun") })
    child.send(signal: SIGTERM)
    #expect(child.communicate(timeout: .seconds(30)).status == 128 + SIGTERM)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names == ["kept"])
    #expect(folder.read("kept")?.hasSuffix("\n") == true)
    let lost = try ChildProcess.run(
      "/bin/bash",
      arguments: [
        "-c",
        "\"$OPSH\" -c 'for n in (1..1000000) { echo $n > kept; echo $n }' | head -1; exit ${PIPESTATUS[0]}",
      ],
      environment: Opsh.environment(["OPSH": try BuiltProducts.executable("opsh")]),
      directory: folder.path)
    #expect(lost.errors == "")
    #expect(lost.status == 128 + SIGPIPE)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["kept"])
  }
}
