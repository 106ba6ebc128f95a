import Foundation
import ShellLanguage
import TestSupport
import Testing

@testable import CommandParts
@testable import BuildCommands
@testable import ShellCommands
@testable import ShellSession

@Suite("Credentials and cookies of commands", .timeLimit(.minutes(15)))
struct CredentialCommandTests {
  private static func fixture(
    _ environment: [String: String] = [:], directory: String? = nil
  ) throws -> ShellFixture {
    var configuration = SessionConfiguration()
    configuration.environment = ["PW": "practice", "TOKEN": "practice\n", "EMPTY": "\n"]
    configuration.environment.merge(environment) { $1 }
    configuration.directory = directory
    return try ShellFixture("", configuration)
  }

  @Test(
    "A secret field of a form is masked later",
    arguments: ["--form password=formsecret55", "--multipart password=formsecret55"])
  func formSecrets(field: String) throws {
    let outcome = try Opsh.run("post /cookies \(field); wait --any-outcome; echo formsecret55 end")
    #expect(outcome.output == "************ end\n", "\(outcome.errors)")
  }

  @Test("An error that cuts a long value shows no part of a secret in it")
  func cutSecret() throws {
    let secret = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    let outcome = try Opsh.run(
      "get / --auth bearer:env:K; wait --any-outcome; delay $env.K", environment: ["K": secret])
    #expect(outcome.status == 1 && outcome.errors.contains("found '****"))
    #expect(!outcome.errors.contains("abcdef"), "\(outcome.errors)")
  }

  @Test(
    "Each scheme logs in, on both clocks",
    arguments: ["real", "virtual"],
    [
      "/auth/basic --auth basic:opsh:env:PW", "/auth/digest --auth digest:opsh:env:PW",
      "/auth/digest?algorithm=MD5 --auth digest:opsh:env:PW",
      "/auth/bearer --auth bearer:env:TOKEN",
      "/auth/bearer --auth bearer:file:token --retry 2",
    ])
  func schemes(clock: String, words: String) throws {
    let folder = try ScratchFolder()
    try folder.write("practice\r\n", to: "token")
    chmod(folder.path + "/token", 0o600)
    let fixture = try Self.fixture(directory: folder.path)
    try fixture.run("set clock \(clock); get \(words); wait; expect (get-1.status == 200)")
    try fixture.run(
      """
      get /auth/digest --auth digest:other:env:PW --retry 3 --retry-on 401 --backoff 1ms
      wait --any-outcome; expect (get-2.status == 401); expect (get-2.attempts == 4)
      """)
  }

  @Test(
    "Values of --auth that name no secret are found before anything runs, and not repeated",
    arguments: [
      "basic", "basic:ada", "basic:ada:hunter2", "basic::env:PW", "bearer:hunter2", "bearer:env:",
      "bearer:env:A-B", "bearer:file:", "hunter2", "token:env:PW", "BASIC:ada:env:PW", "''",
    ])
  func malformed(value: String) throws {
    let outcome = try Opsh.run("echo ran; get / --auth \(value)")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("[bad-auth]"))
    #expect(outcome.errors.contains("error: the value of '--auth' can't be read: "))
    #expect(outcome.errors.contains(CodedPages.authenticationHelp))
    #expect(!outcome.output.contains("ran"))
    #expect(!(outcome.errors + outcome.output).contains("hunter2"))
  }

  @Test("The error of credentials that do not fit is shown whole, with what to do")
  func misfit() throws {
    let outcome = try Opsh.run("get /auth/basic --auth bearer:env:HOME; wait")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        "status 401: it offers basic, and bearer credentials do not fit [invalid-status-code(401)]")
    )
    #expect(
      outcome.errors.contains(
        "help: '--auth' with a scheme that the server offers, of basic, digest and bearer\n"))
  }

  @Test("A secret that is missing, empty or not one line is an error, and nothing is sent")
  func secrets() throws {
    let folder = try ScratchFolder()
    try folder.write("", to: "empty")
    try folder.write("one\ntwo\n", to: "lines")
    try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: folder.path + "/bytes"))
    let fixture = try Self.fixture(directory: folder.path)
    for (source, code, message) in [
      ("env:NONE", "missing-secret", "'NONE'"), ("env:EMPTY", "missing-secret", "is empty"),
      ("file:none", "file(2)", "'none'"), ("file:.", "file(21)", "'.'"),
      ("file:empty", "missing-secret", "is empty"), ("file:lines", "missing-secret", "line break"),
      ("file:bytes", "missing-secret", "UTF-8"), ("file:/dev/zero", "missing-secret", "/dev/zero"),
    ] {
      let error = try fixture.error(of: "get / --auth bearer:\(source)")
      #expect(error.code == code && error.message.contains(message), "\(source) \(error.message)")
    }
    #expect(fixture.session.jobs.operations.all.isEmpty)
  }

  @Test("A file that others can read is warned about once, and used")
  func permissions() throws {
    let folder = try ScratchFolder()
    try folder.write("practice", to: "token")
    chmod(folder.path + "/token", 0o644)
    let outcome = try Opsh.run(
      "repeat 2 { get /auth/bearer --auth bearer:file:token; wait }", directory: folder.path)
    #expect(outcome.status == 0)
    #expect(outcome.errors.components(separatedBy: "[readable-secret]").count == 2)
    #expect(outcome.errors.contains("chmod 600 token"))
  }

  @Test("A saved script and the history keep where the secret is, and never the secret")
  func saving() {
    for line in [
      "get / --auth basic:ada:env:PW", "get / --auth digest:ada@example.org:file:/run/pw",
      "get / --auth=bearer:env:TOKEN; wait",
      "get /auth/basic --auth basic:ada:env:PW --cookies jar", "get / --auth 'bearer:file:/a b'",
    ] {
      let (text, count) = Save.withoutSecrets(line + "\n")
      #expect(text == line + "\n" && count == 0, "\(text)")
    }
    for line in ["get /auth/basic --auth basic:ada:hunter2", "get / --auth bearer:abcdefghij"] {
      let (text, count) = Save.withoutSecrets(line + "\n")
      #expect(count == 1 && !text.contains("hunter2") && !text.contains("abcdefghij"), "\(text)")
    }
  }

  @Test("The secret is masked wherever it comes up")
  func masking() throws {
    let fixture = try Self.fixture(["OTHER": "s3cret-of-ada"])
    try fixture.run("get /auth/basic --auth basic:ada:env:OTHER; wait --any-outcome")
    #expect(fixture.session.screen.secrets.mask("it is s3cret-of-ada") == "it is *************")
    for command in [
      "show last", "show last --verbose", "show last --curl", "show last --attempts --json",
      "show last --json",
    ] {
      let text = try fixture.output(of: command).joined(separator: "\n")
      #expect(!text.contains("s3cret") && !text.contains("YWRhOnMzY3JldC"), "\(command): \(text)")
    }
    #expect(
      try fixture.output(of: "show last").contains {
        $0.contains("basic as 'ada', secret of env:OTHER")
      })
  }

  @Test("Cookies go from one request to the next, on both clocks", arguments: ["real", "virtual"])
  func cookies(clock: String) throws {
    let folder = try ScratchFolder()
    let fixture = try Self.fixture(directory: folder.path)
    try fixture.run(
      """
      set clock \(clock)
      get '/cookies/set?a=1&b=2&max-age=100' --cookies jar; wait
      get /cookies --cookies ./jar --name seen; wait
      expect (seen.result.body.a == '1'); expect (seen.result.body.b == '2')
      get /cookies --name none; wait
      expect ((none.result.body.a ?? 'no') == 'no')
      """)
    let lines = try #require(folder.read("jar")).split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("127.0.0.1\tFALSE\t/\tFALSE\t") } == 2)
    #expect(folder.names == ["jar"])
  }

  @Test("A bad line of a file of cookies is a warning, once in a run, and the rest is sent")
  func badLine() throws {
    let folder = try ScratchFolder()
    let line = "127.0.0.1\tFALSE\t/\tFALSE\t0"
    try folder.write("\(line)\tn\tv\tw\n\(line)\tgood\t1\n", to: "jar")
    let outcome = try Opsh.run(
      """
      get '/cookies/set?new=2' --cookies jar; wait
      get /cookies --cookies jar --name seen; wait
      expect (seen.result.body.good == '1'); expect (seen.result.body.new == '2')
      """, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.components(separatedBy: "is not a cookie").count == 2)
    #expect(outcome.errors.contains("warning: line 1 of "))
    #expect(try #require(folder.read("jar")).hasSuffix("\(line)\tn\tv\tw\n"))
  }

  @Test("A file that is not a file of cookies is an error with its line")
  func badJar() throws {
    let folder = try ScratchFolder()
    try folder.write("# comment\nnonsense\n", to: "notes")
    let fixture = try Self.fixture(directory: folder.path)
    let outcome = try Opsh.run("get /cookies --cookies notes", directory: folder.path)
    #expect(outcome.errors.contains("  get /cookies --cookies notes\n"))
    let error = try fixture.error(of: "get /cookies --cookies notes")
    #expect(error.code == "bad-cookie-file" && error.message.contains("line 2"))
    #expect(folder.read("notes") == "# comment\nnonsense\n")
    #expect(try fixture.error(of: "get / --cookies no/jar").code == "file(2)")
    #expect(try fixture.error(of: "let p = ''; get / --cookies \"$p\"").code == "wrong-kind")
  }
}
