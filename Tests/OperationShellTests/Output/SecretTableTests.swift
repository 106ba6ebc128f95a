import Foundation
import OpshLocking
import ShellOutput
import OpshTerminal
import TestSupport
import Testing

@testable import ShellCommands
@testable import ShellSession

/// Every secret in every format, and every place where it could appear.
///
/// A new kind of secret is a row of ``secrets``, a new format a row of ``formats``.
@Suite("Secrets in all output and files", .timeLimit(.minutes(15)))
struct SecretTableTests {
  /// Texts that no output may contain.
  static let value = "s3cr3t-Value.91"

  /// Headers and fields whose values are secret.
  private static let headers = [
    "Authorization: Bearer ", "Proxy-Authorization: Basic ", "Cookie: id=1; sid=", "X-Auth-Token: ",
    "X-Api-Key: ", "X-Custom: Bearer ", "X-Amz-Signature: ", "X-Parse-Session-Token: ",
  ]
  private static let fields = [
    "key", "access_token", "refresh_token", "api_key", "client_secret", "sig", "signature", "jwt",
    "X-Amz-Signature", "password", "passwd", "pwd", "code", "%6Bey", "accessToken",
  ]
  private static let others = [
    "post /1/login --json '{\"user\":\"me\",\"password\":\"\(value)\"}'",
    "post /1/login --json '{\"a\":[{\"clientSecret\":\"\(value)\"}]}'",
    "post /1/login --json '{\"password\":{\"old\":\"\(value)\",\"new\":[\"\(value)\"]}}'",
    "post /1/login --body 'user=me&passwd=\(value)'",
    "get /2.3/sites \\\n--header 'X-Authentication: \(value)'",
    "run echo done -H 'Authorization: Bearer \(value)'", "run echo done -u me:\(value)",
    "run echo done https://me:\(value)@host/ --token \(value)",
    "let password = '\(value)'; get /2.3/sites --header \"X-Foo: $password\"",
  ]

  /// Commands that send the secret.
  static let secrets: [String] = {
    var secrets: [String] = headers.map { "get /2.3/sites --header '\($0)\(value)'" }
    secrets += fields.map { "get '/2.3/sites?\($0)=\(value)&page=1'" }
    return secrets + others
  }()

  /// A format of output: the words after the request, the options of the run, and the files that it
  /// writes.
  struct Format: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var before = ""
    var script = ""
    var options: [String] = []
    var file: String?
  }

  static let formats: [Format] = [
    Format(testDescription: "show", script: "show last; show last > file", file: "file"),
    Format(testDescription: "show --curl", script: "try { show last --curl } catch e { }"),
    Format(testDescription: "log", script: "log; log > file", file: "file"),
    Format(testDescription: "ops and why", script: "ops; why last; stats; timeline; tree"),
    Format(
      testDescription: "server log", before: "fetch questions --pagesize 1; wait",
      script: "server log; server log > file", file: "file"),
    Format(testDescription: "cache", script: "cache; cache list", options: ["--data", "data"]),
    Format(testDescription: "save", script: "save file", file: "file"),
    Format(
      testDescription: "page", script: "export file.html --replace", file: "file.html"),
    Format(testDescription: "transcript", options: ["--transcript", "file"], file: "file"),
    Format(testDescription: "trace", before: "set trace on"),
    Format(
      testDescription: "help of a definition",
      before: "def again {", script: "}; help again > file; help again", file: "file"),
    Format(testDescription: "JSON", script: "show last; log; ops; why last", options: ["--json"]),
  ]

  @Test("No output format shows a secret of a request", arguments: formats)
  func table(format: Format) throws {
    let folder = try ScratchFolder()
    // Each is a run of its own; the sanitizer looks for races, and they have the same threads.
    for secret in TestScale.sample(of: Self.secrets) {
      try? FileManager.default.removeItem(atPath: folder.path + "/file")
      let isCached = format.options.first == "--data" && secret.hasPrefix("get")
      let text =
        "\(format.before)\n\(secret)\(isCached ? " --cached" : ""); wait --any-outcome\n"
        + format.script
      let outcome = try Opsh.run(text, options: format.options, directory: folder.path)
      #expect(outcome.status == 0, "\(text)\n\(outcome.errors)")
      let written = format.file.map { folder.read($0) ?? "" } ?? ""
      if format.file != nil { #expect(!written.isEmpty, "\(text)") }
      for shown in [outcome.output, outcome.errors, written] {
        #expect(!shown.contains(Self.value), "\(text)\n\(shown)")
      }
      #expect(!(outcome.output + outcome.errors).isEmpty)
    }
  }

  @Test(
    "No error quotes a secret",
    arguments: TestScale.sample(of: secrets.filter { !$0.hasPrefix("run") }))
  func errors(secret: String) throws {
    for options in [[], ["--json"]] {
      for text in [
        "\(secret) --nonsense", "fail \"it failed\"; \(secret)", "expect (1 == 2) # \(secret)",
      ] {
        let outcome = try Opsh.run(text, options: options)
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("error:"))
        #expect(!(outcome.output + outcome.errors).contains(Self.value), "\(outcome.errors)")
      }
    }
  }

  @Test(
    "The history file contains no line with a secret, and 'history' shows none", arguments: secrets)
  func history(secret: String) throws {
    let folder = try ScratchFolder()
    let shell = try ShellFixture()
    let file = folder.path + "/history"
    let history = History(file: file, isPrivate: shell.session.screen.secrets.holdsSecret)
    shell.session.run.state.withLock { $0.history = history }
    history.append("echo first")
    history.append(secret)
    #expect(folder.read("history")?.replacing(#/\\@\d+ /#, with: "") == "echo first\n")
    let shown = try shell.output(of: "history").joined()
    #expect(shown.contains("***") && !shown.contains(Self.value), "\(shown)")
  }

  @Test("A text that was sent as a credential is masked everywhere")
  func byValue() throws {
    let folder = try ScratchFolder()
    let shell = try ShellFixture()
    let lines = Locked<[String]>([])
    shell.session.screen.output.setTap(isSilent: true) { line in
      lines.withLock { $0.append(line.plain) }
    }
    let history = History(
      file: folder.path + "/history", isPrivate: shell.session.screen.secrets.holdsSecret)
    shell.session.run.state.withLock { $0.history = history }
    let secret = "let t = '\(Self.value)'"
    for line in ["echo first", secret, "echo last"] { history.append(line) }
    #expect(folder.read("history")?.contains(Self.value) == true)
    try shell.run(
      """
      \(secret)
      get /2.3/sites --header "Authorization: Bearer $t"; wait --any-outcome
      echo $t; echo "x${t}y"; alias a = echo \(Self.value)
      alias; ops; log
      """)
    shell.session.run.forgetSecretLines()
    #expect(folder.read("history")?.replacing(#/\\@\d+ /#, with: "") == "echo first\necho last\n")
    let shown = lines.withLock { $0 }.joined(separator: "\n")
    #expect(shown.contains("x***************y"), "\(shown)")
    #expect(!shown.contains(Self.value), "\(shown)")
    #expect(try !shell.output(of: "alias").joined().contains(Self.value))
    // Text that the user writes to a file is data and stays unchanged.
    #expect(try shell.output(of: "echo $t") == [Self.value])
    let (text, count) = Save.withoutSecrets(secret + "\n", shell.session.screen.secrets)
    #expect(count == 1 && !text.contains(Self.value))
    let error = try shell.error(of: "fail $t")
    shell.session.screen.report(error)
    #expect(!lines.withLock { $0 }.joined().contains(Self.value))
  }

  @Test(
    "A credential that was passed to a program is masked everywhere",
    arguments: [
      "run true -u me:\(value); wait", "run true -H 'X-Api-Key: \(value)'; wait",
      "!true -H \"Authorization: Bearer $t\"", "!true https://me:${t}@host/",
      "let _out = !true --token '\(value)'",
      "echo a | sh -c 'cat > /dev/null' -u \"me:$t\"",
    ])
  func givenToProgram(command: String) throws {
    let shell = try ShellFixture()
    try shell.run("let t = '\(Self.value)'\n\(command)")
    #expect(shell.session.screen.secrets.mask("it was \(Self.value)!") == "it was ***************!")
  }

  @Test("Responses of a server are never masked")
  func received() throws {
    let server = try CannedServer(
      Array(
        "HTTP/1.1 200 OK\r\nSurrogate-Key: one\r\nContent-Length: 24\r\nConnection: close\r\n\r\n"
          .utf8)
        + Array("password=\(Self.value)".utf8))
    let outcome = try Opsh.run(
      "get \(server.url)/ --header 'Authorization: Bearer \(Self.value)' --name a; wait; "
        + "result a; result a --json; (a.headers)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("password=\(Self.value)"), "\(outcome.output)")
    #expect(outcome.output.contains("\"body\":\"password=\(Self.value)\""))
    #expect(outcome.output.contains("Surrogate-Key: one"))
  }

  @Test("Files that may contain secrets are readable by their owner only")
  func modes() throws {
    let folder = try ScratchFolder()
    let run = try Opsh.run(
      "echo a; tags add swift; save saved; echo b > plain",
      options: ["--transcript", "transcript", "--data", folder.path + "/data"],
      directory: folder.path)
    #expect(run.status == 0, "\(run.errors)")
    History(file: folder.path + "/history").append("echo a")
    func mode(_ name: String) throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
      return try #require(attributes[.posixPermissions] as? Int)
    }
    #expect(try mode("transcript") == 0o600)
    #expect(try mode("saved") == 0o700)
    #expect(try mode("history") == 0o600)
    let store = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data")
    #expect(!store.isEmpty)
    for name in store { #expect(try mode("data/" + name) & 0o077 == 0, "\(name)") }
  }
}
