import Foundation
import OpshNetworking
import Operations
import OpshProcesses
import ShellLanguage
import ShellOutput
import TestSupport
import Testing

@testable import CommandParts
@testable import OperationShell
@testable import ShellCommands
@testable import ShellSession

@Suite("Error pages", .timeLimit(.minutes(15)))
struct ErrorPageTests {
  static let pages: [ErrorPage] = ErrorCatalog.pages
  static let checked: [String] = pages.filter { $0.proof == .checking || $0.proof == .warning }
    .map(\.topic)
  static let running: [String] = pages.filter { $0.proof == .running }.map(\.topic)

  private func found(_ text: String) throws -> [Diagnostic] {
    let fixture = try ShellFixture()
    let script = Parser.parse(SourceText(name: "page", text: text))
    return fixture.session.run.check(
      script, isWhole: true, names: .all, in: fixture.shell.interpreter.makeContext())
  }

  @Test("Each code, and each cause of a code with several, has one complete page")
  func complete() {
    #expect(Set(Self.pages.map(\.topic)).count == Self.pages.count)
    // A page of a cause is one in addition to that of the code.
    for page in Self.pages { #expect(ErrorCatalog.page(page.code)?.topic == page.code) }
    for page in Self.pages {
      #expect(!page.summary.isEmpty && !page.summary.hasSuffix("."), "\(page.code)")
      #expect(!page.meaning.isEmpty && !page.wrong.isEmpty && !page.right.isEmpty, "\(page.code)")
      #expect(page.help?.hasSuffix(".") != true, "\(page.code)")
    }
  }

  @Test("Checking the wrong example results in the code", arguments: checked)
  func wrongByChecking(topic: String) throws {
    let page = try #require(ErrorCatalog.page(topic))
    let found = try found(page.wrong)
    let severity: Diagnostic.Severity = page.proof == .warning ? .warning : .error
    #expect(found.filter { $0.severity == severity }.map(\.code) == [page.code], "\(found)")
    #expect(found.allSatisfy { $0.help != nil }, "\(found)")
  }

  @Test("The corrected example has no errors", arguments: pages.map(\.topic))
  func rightIsClean(code: String) throws {
    let found = try found(try #require(ErrorCatalog.page(code)).right)
    #expect(found.isEmpty, "\(found)")
  }

  /// The pages whose corrected example needs neither another machine nor files of its own.
  static let standalone: [String] =
    pages
    .filter { !$0.right.contains(/example|localhost|\.pem/) && !$0.right.contains(" 443") }
    .map(\.topic)

  @Test("Running the corrected example succeeds", arguments: standalone)
  func rightByRunning(topic: String) throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      try #require(ErrorCatalog.page(topic)).right, options: ["--data", folder.path + "/data"],
      directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("Running the wrong example results in the code and no earlier error", arguments: running)
  func wrongByRunning(topic: String) throws {
    let page = try #require(ErrorCatalog.page(topic))
    let code = page.code
    let found = try found(page.wrong)
    #expect(found.isEmpty, "\(found)")
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      page.wrong, options: ["--json", "--data", folder.path + "/data"], directory: folder.path)
    let errors = outcome.output.split(separator: "\n").filter { $0.contains("\"type\":\"error\"") }
    #expect(outcome.status == 1)
    #expect(
      errors.contains {
        $0.contains("\"code\":\"\(code)\"") || $0.contains("\"code\":\"\(code)(")
      }, "\(errors)")
    #expect(!errors.contains { $0.contains("\"line\":null") })
  }

  @Test("The wrong example of a script has no other error, even an unproven one")
  func unproved() throws {
    for page in Self.pages where page.proof == .unproven && !page.wrong.hasPrefix("(") {
      let found = try found(page.wrong).filter { $0.severity == .error }
      #expect(found.allSatisfy { $0.code == page.code }, "\(page.code): \(found)")
    }
  }

  @Test("Help for a system error depends on the error number")
  func systemErrors() {
    #expect(ErrorPage.file(ENOENT).help == ErrorPage.file.help)
    for number in [ENOSPC, EFBIG, EISDIR, EACCES, EINVAL, 9_999] {
      let page = ErrorPage.file(number)
      #expect(page.help != nil && page.help != ErrorPage.file.help, "\(number)")
      #expect(CodedPages.page(for: "file(\(number))").help == page.help, "\(number)")
    }
    #expect(CodedPages.page(for: "signal(9)").help == ErrorPage.signal.help)
  }

  @Test("A missing library for the store has a cure of its own")
  func storeLibrary() {
    let error = StoreError(.unavailable, "it is missing", topic: "store-library")
    #expect(CodedPages.page(for: error).help == "install the package libsqlite3-0")
    let other = CodedPages.page(for: StoreError(.unavailable, "there is no folder"))
    #expect(other.help?.contains("--data DIR") == true)
  }

  @Test("The page of one of several causes has the whole code of the error")
  func wholeCodes() {
    let refused = CodedPages.page(for: NetworkError.invalidStatusCode(401))
    #expect(refused.code == "invalid-status-code(401)")
    #expect(refused.help?.contains("--auth") == true)
    let server = UnreachedServer(at: "a.example:80", isOfEndpoint: true)
    for error in [
      NetworkError.hostNotFound(server), .connectionRefused(server), .unsupportedProtocol("ftp"),
    ] {
      let page = CodedPages.page(for: NetworkError.proxy("p", error))
      #expect(page.topic == "proxy-failed")
      #expect(page.code == error.code)
      #expect(page.help?.contains("http_proxy") == true)
    }
  }

  @Test(
    "An operation that fails with the error of a command gives the help of that command",
    arguments: [
      ("block { wait c } --name c; wait", "wait for it outside of its block"),
      ("block { delay 1ms --hold --name q; result q }; wait", "'wait OP' waits for it"),
    ])
  func helpOfCommands(script: String, help: String) throws {
    let fixture = try ShellFixture()
    #expect(
      try fixture.shown(by: "try { \(script) } catch e { echo $e.help }").last == help)
  }

  @Test("Each error that is declared is listed, and each that is listed is raised")
  func everyCode() throws {
    let sources = try ErrorsInSources()
    let (declared, codes) = (sources.declared, sources.codesOfLowerTargets)
    #expect(declared.count > 130)
    #expect(codes.count > 40)
    let pages = Set(Self.pages.map(\.code))
    #expect(pages.isSuperset(of: declared.keys), "\(Set(declared.keys).subtracting(pages))")
    #expect(pages.isSuperset(of: codes), "\(codes.subtracting(pages))")
    // Commands ask for these without knowing the whole list.
    for code in codes {
      #expect(CodedPages.page(for: code).summary == ErrorCatalog.page(code)?.summary, "\(code)")
    }
    for page in Self.pages {
      let isRaised = declared[page.code].map(sources.raises) ?? false
      #expect(isRaised || codes.contains(page.code), "\(page.code)")
    }
  }

  @Test("The page of a code names those of its other causes, and a status may have its own")
  func otherCauses() throws {
    let fixture = try ShellFixture()
    let large = try fixture.output(of: "explain too-large").joined(separator: " ")
    #expect(large.contains("another cause: body-too-large, headers-too-large."))
    let body = try fixture.output(of: "explain body-too-large").joined(separator: " ")
    #expect(body.contains("another cause: too-large, headers-too-large."))
    for (code, topic) in [
      ("invalid-status-code(401)", "unauthorized"),
      ("invalid-status-code(503)", "invalid-status-code"),
      ("invalid-status-code", "invalid-status-code"),
    ] {
      #expect(try fixture.output(of: "explain '\(code)'").first?.hasPrefix("\(topic): ") == true)
    }
    #expect(try !fixture.output(of: "explain bad-jitter").contains { $0.contains("another cause") })
  }

  @Test("'explain' lists all codes, shows one, and suggests similar codes")
  func explains() throws {
    let fixture = try ShellFixture()
    let all = try fixture.output(of: "explain")
    #expect(try fixture.output(of: "explain --all") == all)
    for page in Self.pages { #expect(all.contains { $0.contains("  \(page.topic)  ") }) }
    let one = try fixture.output(of: "explain 'file(2)'")
    #expect(one.first?.hasPrefix("file: ") == true)
    for shown in [
      "file(2)", "[file(2)]", "'[file(2)]'", "file(2)   ", "file",
    ] {
      #expect(try fixture.output(of: "explain \(shown)") == one, "\(shown)")
    }
    let service = try fixture.output(
      of: "explain api(502, throttle_violation, wait (a bit); then go)")
    #expect(service.first?.hasPrefix("api: ") == true)
    let error = try fixture.error(of: "explain unclosed-qoute")
    #expect(error.help == "did you mean 'unclosed-quote'?")
    #expect(try Explanation.text("wrong-kind").contains("delay soon"))
    #expect(try Explanation.text("[wrong-kind]").contains("delay soon"))
    #expect(throws: CommandLineMisuse.self) { try Explanation.text("nonsense") }
  }
}

extension ErrorPageTests {
  @Test("'explain' alone explains the last error or the last failure of an operation")
  func explainsLast() throws {
    let fixture = try ShellFixture()
    func heading() throws -> String? { try fixture.output(of: "explain").first }
    #expect(try heading() == ErrorCatalog.overview.first)
    fixture.session.screen.report(try fixture.error(of: "show nobody"))
    #expect(try heading()?.hasPrefix("unknown-operation: ") == true)
    try fixture.run("delay 1m --timeout 1ms; wait --any-outcome")
    #expect(try heading()?.hasPrefix("timed-out: ") == true)
    fixture.session.screen.report(try fixture.error(of: "source nowhere"))
    #expect(try heading()?.hasPrefix("file: ") == true)
  }

  @Test("Each cause of a failed request has its page, with the code of the error and a cure")
  func causes() throws {
    let tls: [TLSFailure] = [
      .expired, .notYetValid, .wrongHost("a"), .selfSigned, .unknownIssuer, .noTrustedCertificates,
      .unusableCertificates(file: "a"), .revoked, .protocolMismatch, .handshakeRefused, .notTLS,
      .connectionClosed, .clientCertificateRequired, .clientCertificateRejected(file: "a"),
      .unusableClientCertificate(file: "a"), .encryptedClientKey(file: "a"),
    ]
    let errors: [NetworkError] =
      tls.map { .tls($0) } + [
        .tooLarge(.body, limit: 1), .tooLarge(.headers, limit: 1), .tooLarge(.headerLine, limit: 1),
        .proxy("p", .tls(.expired)), .unknownEncoding("br"), .userInURL,
        .redirectToUser, .redirectToProtocol("ftp"), .unfitCredentials(.basic, offered: "digest"),
        .connectionRefused(.init(at: "a:1", isOfEndpoint: true)),
        .hostNotFound(.init(at: "a:1", isOfEndpoint: true)),
      ]
    for error in errors {
      #expect(error.topic != error.code)
      let page = CodedPages.page(for: error)
      #expect(page.topic == error.topic && page.code == error.code, "\(error)")
      let help = try #require(page.help, "\(error)")
      #expect(help != ErrorCatalog.page(error.code)?.help, "\(error)")
    }
    // Those of TLS that exist are all of them.
    let listed = Self.pages.filter { $0.code == "tls" && $0.topic != "tls" }.map(\.topic)
    #expect(Set(listed) == Set(tls.map { NetworkError.tls($0).topic }))
    #expect(CodedPages.page(for: NetworkError.tls(.other("x"))).topic == "tls")
  }

  @Test(
    "A request to a server with a bad certificate says what is wrong, and how to go on",
    arguments: [
      ("expired-certificate", "the server's certificate has expired", "tls-expired", "renew it"),
      (
        "wrong-host", "the server's certificate is not for 'localhost'", "tls-wrong-host",
        "use the name"
      ),
    ], ["", "set clock virtual; "])
  func teaches(fault: (String, String, String, String), clock: String) throws {
    let (name, message, topic, cure) = fault
    let fixture = try ShellFixture(
      "\(clock)server fault \(name); fetch questions; wait --any-outcome")
    let failure = try #require(try fixture.operation("questions-1").outcome?.failure)
    #expect(failure.code == "tls" && failure.message == message)
    #expect(try fixture.output(of: "explain").first?.hasPrefix(topic + ": ") == true)
    #expect(
      try fixture.output(of: "show questions-1").contains { $0.hasSuffix("explain \(topic)") })
    let error = try fixture.error(of: "fetch questions --name again; wait again")
    #expect(error.code == "tls" && error.help?.contains(cure) == true, "\(error.help ?? "")")
    fixture.session.screen.report(error)
    #expect(try fixture.output(of: "explain").first?.hasPrefix(topic + ": ") == true)
    try fixture.run("try { fetch tweets a; wait last } catch e { expect ($e.code == 'tls') }")
    try fixture.run("fetch questions --insecure --name insecure; wait insecure")
    #expect(try fixture.operation("insecure").outcome == .succeeded)
  }

  @Test("Errors and warnings end with their code, the same as in JSON")
  func showsCodes() throws {
    for text in ["let unused = 1", "source nowhere", "echo $nothing", "delay 1m --timeout 1ms"] {
      let outcome = try Opsh.run(text, options: ["--json", "--check"])
      let ran = try Opsh.run(text, options: ["--json"])
      for line in (outcome.output + ran.output).split(separator: "\n")
      where line.contains("\"type\":\"error\"") || line.contains("\"type\":\"diagnostic\"") {
        let code = try #require(line.firstMatch(of: /"code":"([^"]*)"/)).output.1
        #expect((outcome.errors + ran.errors).contains(" [\(code)]\n"), "\(line)")
      }
      #expect(
        (outcome.errors + ran.errors).split(separator: "\n")
          .allSatisfy {
            !$0.hasPrefix("-c:") || $0.contains(/(error|warning): .* \[[a-z-]+(\(\d+\))?\]$/)
              || $0.contains(": note: ")
          }, "\(outcome.errors + ran.errors)")
    }
  }
}

/// The errors in the sources, found by pattern.
private struct ErrorsInSources {
  private static let targets = [
    "ShellLanguage", "ShellOutput", "OpshProcesses", "ShellSession", "CommandParts",
    "BuildCommands",
    "InspectCommands", "SteerCommands", "WorldCommands", "ViewCommands", "ShellCommands",
    "OperationShell",
  ]

  /// The static members that declare pages, by their codes.
  let declared: [String: String]
  /// The codes of the targets that do not know the pages.
  let codesOfLowerTargets: Set<String>
  private let users: String

  init() throws {
    let text = try Self.text(of: Self.targets) { _ in true }
    declared = Dictionary(
      uniqueKeysWithValues: try Self.matches(
        #"static let (\w+) = (?:ErrorPage|written)\(\s*"([a-z0-9-]+)""#, in: text
      ).map { ($0[1], $0[0]) })
    users = try Self.text(of: Self.targets) {
      $0 != "LanguageErrors.swift" && $0 != "ErrorCatalog.swift"
    }
    let lower = try Self.text(
      of: [
        "Operations", "OpshNetworking", "OpshPersistence", "PracticeServer", "OpshHTTPServing",
        "SessionServer",
      ]) { _ in true }
    var codes = try Self.matches(#"\b[cC]ode: "([a-z][a-z0-9-]*)[("]"#, in: lower)
    codes += try Self.matches(#"case \w+ = "((?:store|tag|quote|cache)-[a-z]+)""#, in: lower)
    for body in try Self.matches(#"var code: String \{((?:.|\n)*?)\n  \}"#, in: lower) {
      codes += try Self.matches(#""([a-z][a-z0-9-]*)[("]"#, in: body[0])
    }
    codesOfLowerTargets = Set(codes.map { $0[0] })
  }

  /// Whether a page is used beyond its declaration and the lists.
  func raises(_ name: String) -> Bool {
    users.range(of: "\\.\(name)\\b", options: .regularExpression) != nil
  }

  private static func text(of folders: [String], where isWanted: (String) -> Bool) throws -> String
  {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources")
    return try folders.flatMap { folder in
      let base = root.appendingPathComponent(folder)
      let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String }
      return try (names ?? []).map(base.appendingPathComponent)
        .filter { $0.pathExtension == "swift" && isWanted($0.lastPathComponent) }
        .map { try String(contentsOf: $0, encoding: .utf8) }
    }.joined(separator: "\n")
  }

  /// The groups of all matches.
  private static func matches(_ pattern: String, in text: String) throws -> [[String]] {
    let expression = try NSRegularExpression(pattern: pattern)
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).map { match in
      (1..<match.numberOfRanges).compactMap {
        Range(match.range(at: $0), in: text).map { String(text[$0]) }
      }
    }
  }
}
