import Foundation
import OpshLocking
import ShellOutput
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellCommands
@testable import ShellSession

/// A session on a thread of its own, whose streams are files in its own folder.
private final class SideSession: Sendable {
  let path: String
  let name: String
  private let outcome = Locked<(status: Int32, lastError: String?)?>(nil)

  /// Starts to run a script in a folder that is not the one of the process.
  init(_ name: String, _ script: String, in folder: ScratchFolder) throws {
    self.name = name
    path = folder.path + "/" + name
    try folder.makeFolder(name + "/bin")
    try folder.write("#!/bin/sh\necho tool of \(name)\n", to: name + "/bin/tool")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: path + "/bin/tool")
    try folder.write("echo \"part of \(name)\"\n", to: name + "/part.opsh")
    var configuration = SessionConfiguration()
    configuration.directory = path
    configuration.dataDirectory = "data"
    configuration.timeout = .seconds(120)
    configuration.limitsOnlyRealTime = true
    configuration.environment = [
      "PATH": "bin:/usr/bin:/bin", "MARK": "mark of \(name)", "HOME": path,
    ]
    configuration.streams = StandardStreams(
      input: open("/dev/null", O_RDONLY | O_CLOEXEC), output: try Self.file(path + "/output"),
      errors: try Self.file(path + "/errors"))
    let refusal = RawThread.start(
      name: "test.session", stackSize: 32 << 20
    ) { [configuration, outcome] in
      var result: (Int32, String?) = (-1, nil)
      if let session = try? Session(configuration: configuration, commands: .builtIn) {
        result.0 = Shell(session: session).run(.text(script), thenPrompt: false)
        result.1 = session.screen.state.withLock { $0.lastErrorTopic }
      }
      let streams = configuration.streams
      for descriptor in [streams.input, streams.output, streams.errors] { close(descriptor) }
      outcome.withLock { $0 = result }
    }
    #expect(refusal == nil)
  }

  private static func file(_ path: String) throws -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    return descriptor
  }

  var output: String { read("output") }
  var errors: String { read("errors") }
  var hasEnded: Bool { outcome.withLock { $0 != nil } }

  func read(_ file: String) -> String {
    String(
      decoding: FileManager.default.contents(atPath: path + "/" + file) ?? Data(), as: UTF8.self)
  }

  func end() throws -> (status: Int32, lastError: String?) {
    try #require(eventually { hasEnded }, "'\(name)' does not end: \(output)\(errors)")
    return try #require(outcome.withLock { $0 })
  }
}

@Suite("Sessions side by side in one process", .timeLimit(.minutes(15)))
struct SideBySideTests {
  /// Real time, the network, programs, files; waits for a file at its end.
  private static let real = """
    set seed 1
    fetch questions --pagesize 1 --name first-request
    get /2.3/sites --header "Authorization: Bearer tokenOfReal-81"
    wait
    echo (first-request.result.items)
    echo "tokenOfReal-81 $env.MARK"
    def same { echo "definition of real" }
    let shared = 'variable of real'
    tags add kept-real; tags list
    source part.opsh
    echo redirected > note
    echo piped | sh -c 'cat; pwd'
    run tool; wait; result last
    echo ready
    !sh -c 'n=0; until [ -e go ] || [ $n -gt 6000 ]; do n=$((n + 1)); sleep 0.01; done'
    !sh -c 'echo "$MARK"; pwd; echo "to errors" >&2'
    same; echo $shared
    queue new lane --width 1; delay 1ms --name last-delay --queue lane; wait
    echo (last-delay.outcome)
    """

  /// The virtual clock; ends with an error of its own.
  private static let virtual = """
    set clock virtual; set seed 2
    delay 1h --name slow; wait; echo (slow.duration)
    fetch questions --pagesize 1 --name second-request; wait
    echo (second-request.result.items)
    echo "tokenOfReal-81 $env.MARK"
    def same { echo "definition of virtual" }
    let shared = 'variable of virtual'
    tags add kept-virtual; tags list
    source part.opsh
    echo redirected > note
    server drop 100%
    try { fetch questions; wait last } catch failure { echo $failure.code }
    same; echo $shared
    queue
    exit 3
    """

  @Test("Sessions share no settings, names or files, and one continues after the end of the other")
  func apart() throws {
    let folder = try ScratchFolder()
    let here = FileManager.default.currentDirectoryPath
    let alone = try SideSession("alone", Self.virtual, in: folder)
    #expect(try alone.end().status == 3)

    let real = try SideSession("real", Self.real, in: folder)
    try #require(
      eventually { real.hasEnded || real.output.contains("ready\n") },
      "\(real.output)\(real.errors)")
    let virtual = try SideSession("virtual", Self.virtual, in: folder)
    let virtualEnd = try virtual.end()
    #expect(virtualEnd.status == 3, "\(virtual.errors)")
    #expect(virtualEnd.lastError == "connection-lost")
    #expect(!real.hasEnded, "\(real.output)\(real.errors)")
    try folder.write("", to: "real/go")
    let realEnd = try real.end()
    #expect(realEnd.status == 0, "\(real.output)\(real.errors)")
    #expect(realEnd.lastError == nil)

    // The same as without the other session, but for its name.
    #expect(
      virtual.output == alone.output.replacing("alone", with: "virtual"), "\(virtual.output)")
    #expect(virtual.errors == alone.errors)
    #expect(virtual.output.contains("3600.0\n"))
    #expect(virtual.output.contains("tokenOfReal-81 mark of virtual\n"), "not its secret")
    #expect(virtual.output.contains("kept-virtual\n"))
    #expect(virtual.output.contains("part of virtual\n"))
    #expect(virtual.output.contains("definition of virtual\nvariable of virtual\n"))
    #expect(!virtual.output.contains("lane"))
    #expect(virtual.errors.contains("slow") && !virtual.errors.contains("first-request"))

    #expect(!real.output.contains("tokenOfReal-81"))
    for line in [
      "************** mark of real", "kept-real", "part of real", "piped", real.path,
      "tool of real", "mark of real", "definition of real", "variable of real",
    ] {
      #expect(real.output.contains(line + "\n"), "\(line): \(real.output)")
    }
    #expect(!real.output.contains("virtual") && !real.errors.contains("slow"))
    #expect(real.errors.contains("first-request") && real.errors.contains("to errors\n"))

    for session in [real, virtual] { #expect(session.read("note") == "redirected\n") }
    #expect(FileManager.default.fileExists(atPath: real.path + "/data"))
    #expect(FileManager.default.currentDirectoryPath == here)
    #expect(!FileManager.default.fileExists(atPath: here + "/note"))
  }

  /// Uses the same names in every session, each with a meaning of its own; waits for a file if told to.
  private static func script(of name: String, setup: String, waitsForFile: Bool) -> String {
    """
    \(setup)
    def who { echo "definition of \(name)" }
    alias greet = echo "alias of \(name)"
    let own = 'variable of \(name)'
    queue new lane --width 1; queue use lane
    delay 1ms --name first
    on first finished { echo "handler of \(name)" > handled }
    for n in 1..30 {
      echo "turn $n of \(name)" > turns
      block { echo "body of \(name): $env.MARK" } --name body-$n
    }
    delay 20ms --name shared
    fetch questions --pagesize 1 --name asked --queue network
    wait
    tags add kept-by-\(name)
    echo "waits in \(name)"
    \(waitsForFile ? "!sh -c 'n=0; until [ -e go ] || [ $n -gt 6000 ]; do n=$((n + 1)); sleep 0.01; done'" : "")
    who; greet; echo $own; source part.opsh; tags list
    echo $env.MARK | sh -c 'cat; pwd'
    echo (count of ops where outcome == succeeded)
    echo (shared.queue)
    echo (asked.result.items[0].title)
    """
  }

  @Test("Three sessions at the same time, on both clocks, have nothing of each other")
  func three() throws {
    let folder = try ScratchFolder()
    let names = ["ash", "birch", "cedar"]
    let clocks = ["set seed 1", "set seed 2", "set clock virtual"]
    let sessions = try zip(names, clocks).map { name, setup in
      try SideSession(
        name, Self.script(of: name, setup: setup, waitsForFile: name != "cedar"), in: folder)
    }
    // Two wait in the middle while the third one goes on to its end.
    #expect(try sessions[2].end().status == 0, "\(sessions[2].output)\(sessions[2].errors)")
    for session in sessions.dropLast() {
      try #require(
        eventually { session.hasEnded || session.output.contains("waits in") },
        "\(session.output)\(session.errors)")
      #expect(!session.hasEnded, "\(session.output)\(session.errors)")
    }
    for name in names.dropLast() { try folder.write("", to: name + "/go") }
    var items: [String] = []
    for session in sessions {
      let end = try session.end()
      #expect(end.status == 0 && end.lastError == nil, "\(session.output)\(session.errors)")
      let lines = session.output.split(separator: "\n").map(String.init)
      let bodies = lines.filter { $0.hasPrefix("body of") }
      #expect(
        bodies == Array(repeating: "body of \(session.name): mark of \(session.name)", count: 30))
      let last = lines.drop { $0 != "waits in \(session.name)" }.dropFirst()
      #expect(
        last.dropLast() == [
          "definition of \(session.name)", "alias of \(session.name)",
          "variable of \(session.name)", "part of \(session.name)", "kept-by-\(session.name)",
          "mark of \(session.name)", session.path, "33", "lane",
        ], "\(session.output)")
      items.append(last.last ?? "")
      #expect(session.read("turns") == "turn 30 of \(session.name)\n")
      #expect(session.read("handled") == "handler of \(session.name)\n")
      for other in names where other != session.name {
        #expect(!session.output.contains(other) && !session.errors.contains(other))
      }
    }
    // Each practice server has its own data; that of the seed 1 is also what the virtual clock has.
    #expect(items[0] != items[1] && items[0] == items[2], "\(items)")
    // The store of the virtual clock ends with its session.
    let stores = names.map {
      FileManager.default.fileExists(atPath: folder.path + "/" + $0 + "/data")
    }
    #expect(stores == [true, true, false])
  }

  @Test(
    "Nothing of a session is left after its end",
    arguments: ["set seed 1", "set clock virtual"])
  func released(setup: String) throws {
    weak var jobs: Jobs?
    weak var outside: Outside?
    weak var screen: Screen?
    weak var run: Run?
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    do {
      var configuration = SessionConfiguration()
      configuration.streams = StandardStreams(input: null, output: null, errors: null)
      let session = try Session(configuration: configuration, commands: .builtIn)
      (jobs, outside, screen, run) = (session.jobs, session.outside, session.screen, session.run)
      let script = """
        \(setup); block { echo body > /dev/null } --name b
        on b finished { echo seen > /dev/null }
        fetch questions; wait; expect (b.outcome == succeeded)
        """
      _ = Shell(session: session).run(.text(script), thenPrompt: false)
    }
    #expect(eventually(timeout: .seconds(10)) { run == nil && jobs == nil })
    #expect(screen == nil && outside == nil)
  }

  @Test("Two sessions run statements and operations at the same time without mixing their output")
  func atOnce() throws {
    let folder = try ScratchFolder()
    let sessions = try ["left", "right"].map { name in
      try SideSession(
        name,
        """
        def talk n { echo "\(name) $n" }
        for n in 1..\(TestScale.count(200, long: 5_000)) {
          talk $n > last; talk $n
          delay 0ms --name \(name)-$n
          block { echo "body of \(name)" } --name body-\(name)-$n
        }
        wait
        echo (count of ops)
        """, in: folder)
    }
    for session in sessions { #expect(try session.end().status == 0, "\(session.errors)") }
    let count = TestScale.count(200, long: 5_000)
    for (session, other) in [(sessions[0], "right"), (sessions[1], "left")] {
      let lines = session.output.split(separator: "\n")
      #expect(lines.filter { $0.hasPrefix(session.name) }.count == count)
      #expect(lines.filter { $0 == "body of \(session.name)" }.count == count)
      #expect(session.read("last") == "\(session.name) \(count)\n")
      #expect(!session.output.contains(other) && !session.errors.contains(other))
    }
  }
}
