import Foundation
import PracticeServer
import TestSupport
import Testing

@testable import OpshNetworking

/// Keeps the tables of the article `HostileServers` true: what curl and the transport report for
/// each server.
@Suite("The tables of broken and hostile servers", .serialized, .timeLimit(.minutes(15)))
struct HostileServerTests {
  private static let file =
    PackageFolder.path + "/Sources/OpshNetworking/Networking.docc/HostileServers.md"
  private static let isRecording = ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1"
  /// The version in the head of the tables; others may give other statuses.
  private static let version = "7.88.1"

  /// What one client reports: its code, and the message.
  struct Verdict: Sendable {
    let code: String
    let text: String
  }

  struct Row: Sendable {
    let server: String
    let curl: Verdict
    let ours: Verdict

    /// The row as the table has it.
    var line: String {
      let cells = [server, "\(curl.code): \(curl.text)", "`\(ours.code)`: \(ours.text)"]
      return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
  }

  @Test("The table of plain HTTP has the verdicts of both clients for each case")
  func plain() async throws {
    var rows: [Row] = []
    for testCase in TransportFaultTests.cases {
      let server = try LoopbackServer { connection in
        guard connection.readRequest() != nil else { return }
        testCase.answer(connection)
      }
      defer { server.stop() }
      // curl reads what never ends until its time is over.
      let isEndless = testCase.testDescription == "sends a body without end"
      rows.append(
        Row(
          server: testCase.testDescription,
          curl: try curl(server.url + "/", ["--max-time", isEndless ? "1" : "60"]),
          ours: try await ours(server.url + "/")))
    }
    try compare(rows, section: "## Plain HTTP")
  }

  @Test("The table of TLS has the verdicts of both clients for each case")
  func secure() async throws {
    let folder = try TemporaryFolder()
    let issuer = try folder.write(TestCertificates.issuer, to: "issuer.pem")
    var rows: [Row] = []
    func add(
      _ description: String, _ url: String, trusting trusted: String? = nil
    ) async throws {
      let trusted = trusted ?? issuer
      rows.append(
        Row(
          server: description, curl: try curl(url, ["--cacert", trusted]),
          ours: try await ours(url, trusting: trusted)))
    }
    for (description, certificate) in [
      ("has an expired certificate", TestCertificates.expired),
      ("has a certificate that is not valid yet", TestCertificates.future),
      ("has a certificate for another host", TestCertificates.otherHost),
      ("has a self-signed certificate", TestCertificates.selfSigned),
    ] {
      let server = TestCertificates.server(certificate)
      try server.start()
      defer { server.stop() }
      try await add(description, try #require(server.baseURL) + "/")
    }
    let other = try folder.write(TestCertificates.selfSigned, to: "other.pem")
    let foreign = try TLSServer(mode: "TLSv1_3")
    try await add("has a certificate of an unknown issuer", foreign.url, trusting: other)
    for (description, mode) in [
      ("offers TLS 1.0 alone", "TLSv1"), ("offers TLS 1.1 alone", "TLSv1_1"),
      ("requires a client certificate, by TLS 1.3", "TLSv1_3+client"),
      ("requires a client certificate, by TLS 1.2", "TLSv1_2+client"),
    ] {
      let server = try TLSServer(mode: mode)
      try await add(description, server.url)
    }
    for (description, bytes) in [
      ("answers in plain HTTP", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
      ("speaks another protocol", Array("220 mail.example ESMTP\r\n".utf8)),
      ("closes during the handshake", []),
      ("refuses the version of TLS", [0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 70]),
    ] as [(String, [UInt8])] {
      let server = try LoopbackServer { connection in
        connection.readSome()
        connection.send(bytes)
      }
      defer { server.stop() }
      try await add(description, "https://localhost:\(server.port)/")
    }
    try compare(rows, section: "## TLS")
  }

  // MARK: The clients

  private func curl(_ url: String, _ options: [String]) throws -> Verdict {
    let outcome = try ChildProcess.run(
      "/usr/bin/env",
      arguments: [
        "curl", "--disable", "--silent", "--location", "--output", "/dev/null", "--write-out",
        "%{exitcode} %{http_code} %{errormsg}",
      ] + options + [url])
    if outcome.status == 127 { try Test.cancel("curl is not installed") }
    let parts = outcome.output.split(separator: " ", maxSplits: 2).map(String.init)
    let code = try #require(parts.first, "\(outcome.errors)")
    if code == "0" { return Verdict(code: code, text: "status \(parts[1])") }
    // What differs from run to run.
    let text = parts.count > 2 ? parts[2] : "no message"
    return Verdict(
      code: code,
      text: text.replacing(/\b[0-9]{4,}\b/, with: "N").replacing(
        /after [0-9]+ ms/, with: "after N ms"
      )
      .trimmingCharacters(in: .whitespacesAndNewlines))
  }

  private func ours(_ url: String, trusting issuer: String? = nil) async throws -> Verdict {
    let transport = CurlTransport(configuration: .init(environment: [:]))
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: url)
    request.transfer.maximumBodySize = 500_000
    request.timeout = .seconds(60)
    request.transfer.tls.trustedCertificatesFile = issuer
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    switch try await delegate.end() {
    case .success:
      return Verdict(code: "success", text: "status \(delegate.record.heads.last?.status ?? 0)")
    case .failure(let error): return Verdict(code: error.code, text: error.message)
    }
  }

  // MARK: The article

  private func compare(_ rows: [Row], section: String) throws {
    let text = try String(contentsOfFile: Self.file, encoding: .utf8)
    let start = try #require(text.range(of: section + "\n"))
    let rest = text[start.upperBound...]
    let end = rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex
    let lines = rest[..<end].split(separator: "\n").map(String.init).filter { $0.hasPrefix("| ") }
    if Self.isRecording {
      let head = rest[..<end].split(separator: "\n").prefix(2)
      let table = "\n" + (head + rows.map { $0.line[...] }).joined(separator: "\n") + "\n"
      try text.replacingCharacters(in: start.upperBound..<end, with: table)
        .write(toFile: Self.file, atomically: true, encoding: .utf8)
      Issue.record("the table was recorded")
      return
    }
    #expect(lines.count == rows.count + 1, "the table has other rows than the tests have cases")
    let isSameVersion = try installedVersion() == Self.version
    for (row, line) in zip(rows, lines.dropFirst()) {
      let cells = line.split(separator: " | ").map { $0.trimmingCharacters(in: ["|", " "]) }
      #expect(cells.first == row.server)
      #expect(cells.last?.hasPrefix("`\(row.ours.code)`: ") == true, "\(row.line)")
      // Whether curl reads the body before the reset differs from run to run.
      guard isSameVersion, row.server != "resets inside the body" else { continue }
      #expect(cells[1].hasPrefix("\(row.curl.code): "), "\(row.line)")
    }
  }

  private func installedVersion() throws -> String? {
    let outcome = try ChildProcess.run("/usr/bin/env", arguments: ["curl", "--version"])
    return outcome.output.split(separator: " ").dropFirst().first.map(String.init)
  }
}
