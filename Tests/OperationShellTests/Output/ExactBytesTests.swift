import Foundation
import OpshNetworking
import TestSupport
import Testing

@testable import OpshProcesses
@testable import ShellCommands
@testable import ShellSession

/// Bodies and texts reach files and programs unchanged; only a terminal gets escaped text.
@Suite("Exact bytes into files and pipes", .timeLimit(.minutes(15)))
struct ExactBytesTests {
  struct Body: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    init(_ description: String, _ bytes: [UInt8]) {
      testDescription = description
      self.bytes = bytes
    }
  }

  static let bodies: [Body] = [
    Body("carriage returns", Array("a\r\nb\rc\r\n".utf8)),
    Body("no newline at the end", Array("text".utf8)),
    Body("two newlines at the end", Array("text\n\n".utf8)),
    Body("escape sequences", Array("\u{1B}[31mred\u{1B}[0m\u{7}\u{9B}\u{202E}\n".utf8)),
    Body("zero bytes", [0, 1, 2, 0, 0x0A, 0]),
    Body("no UTF-8", [0xFF, 0xFE, 0x80, 0x0A, 0xC3]),
    Body("all bytes", (0...255).map { UInt8($0) }),
    Body("JSON with spaces of its own", Array("{ \"a\" :\t1.10 }".utf8)),
    Body("200 kB", (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }),
  ]

  /// A server that answers every request with a body.
  private func endpoint(_ body: [UInt8], _ folder: ScratchFolder, status: String = "200 OK") throws
    -> CannedServer
  {
    try CannedServer(
      Array(
        "HTTP/1.1 \(status)\r\nContent-Type: application/octet-stream\r\n".utf8)
        + Array("Content-Length: \(body.count)\r\nConnection: close\r\n\r\n".utf8) + body)
  }

  private func data(_ folder: ScratchFolder, _ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: folder.path + "/" + name).map(Array.init)
  }

  @Test(
    "'result' writes the exact bytes of the body to a file, a program and a redirected output",
    arguments: bodies)
  func results(body: Body) throws {
    let folder = try ScratchFolder()
    let server = try endpoint(body.bytes, folder)
    let refusing = try endpoint(body.bytes, folder, status: "503 Busy")
    let outcome = try Opsh.run(
      """
      get \(server.url)/ --name a; get \(refusing.url)/ --name b; wait --any-outcome
      result a > file; result a >> appended; result a >> appended; result b > refused
      result a | cat > program; result a | cat | cat > programs
      result a
      """, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(Array(outcome.stdout) == body.bytes)
    for name in ["file", "refused", "program", "programs"] {
      #expect(data(folder, name) == body.bytes, "\(name)")
    }
    #expect(data(folder, "appended") == body.bytes + body.bytes)
  }

  @Test("The output of the last program in a pipe is not changed", arguments: bodies)
  func programs(body: Body) throws {
    let folder = try ScratchFolder()
    try Data(body.bytes).write(to: URL(fileURLWithPath: folder.path + "/in"))
    for script in ["echo x | cat in", "run cat in; wait; result last", "run cat in; wait; !cat in"]
    {
      let outcome = try Opsh.run(script, directory: folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(Array(outcome.stdout) == body.bytes, "\(script)")
    }
    let outcome = try Opsh.run("run cat in; wait; result last > out", directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(data(folder, "out") == body.bytes)
  }

  @Test("A line after bytes without a newline starts on a new line")
  func lineAfterBytes() throws {
    let outcome = try Opsh.run("run printf a; wait; result last; result last; echo b; echo c")
    #expect(outcome.output == "aa\nb\nc\n")
  }

  @Test("Control characters are escaped only on the terminal")
  func texts() throws {
    let folder = try ScratchFolder()
    let script =
      #"echo "a\tb\u{1B}[1m\u{D}"; ("c\u{7}"); block { ("d\u{D}\ne") }; wait; result last"#
    let outcome = try Opsh.run(script)
    #expect(outcome.output == "a\tb\u{1B}[1m\r\nc\u{7}\nd\r\ne\nd\r\ne\n", "body, then result")
    let shown = try Opsh.run(script, options: ["--transcript", folder.path + "/transcript"])
    #expect(shown.output == "a\tb^[[1m^M\nc^G\nd^M\ne\nd^M\ne\n")
  }

  @Test(
    "A full disk is an error",
    arguments: ["result a > /dev/full", "result a | cat > /dev/full"])
  func fullDisk(command: String) throws {
    let folder = try ScratchFolder()
    let server = try endpoint([0xFF, 0], folder)
    let outcome = try Opsh.run("get \(server.url)/ --name a; wait; \(command)")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("error:"), "\(outcome.errors)")
  }

  @Test("A body that is not UTF-8 is base64 in JSON, with its text if the encoding is known")
  func base64() throws {
    func json(_ body: [UInt8], type: String = "text/plain") -> JSONValue {
      HTTPResponse(
        head: HTTPResponseHead(
          status: 200, headers: HTTPHeaders(received: [("Content-Type", type)]),
          url: "http://127.0.0.1/"), body: body
      ).json
    }
    #expect(json([0xFF, 0x00])["body"] == .string("/wA="))
    #expect(json([0xFF, 0x00])["encoding"] == .string("base64"))
    #expect(json([0xFF, 0x00])["text"] == nil)
    let latin = json([0xE4], type: "text/plain; charset=iso-8859-1")
    #expect(latin["body"] == .string("5A==") && latin["text"] == .string("ä"))
    #expect(json(Array("ä".utf8))["encoding"] == .string("text"))
    #expect(json(Array("ä".utf8))["body"] == .string("ä"))
    #expect(json(Array("[1e400]".utf8))["encoding"] == .string("json"))
    #expect(json([])["encoding"] == .null && json([])["body"] == .null)
    #expect(
      ProcessOutput(output: [0xFF], errors: [0x61]).json.text
        == #"{"output":"/w==","output_encoding":"base64","errors":"a","errors_encoding":"text","#
        + #""omitted":0,"status":-1}"#)
  }

  @Test("Numbers of a page are shown, written and compared with all their digits")
  func numbers() throws {
    let body =
      #"{"items":[],"has_more":false,"quota_max":1,"quota_remaining":1,"big":123456789012345678901234567890,"#
      + #""much":1e400,"price":1.10}"#
    let folder = try ScratchFolder()
    let server = try endpoint(Array(body.utf8), folder)
    let shell = try ShellFixture("get \(server.url)/ --name a; wait; let r = result a")
    for (text, expected) in [
      ("($r.body.big)", "123456789012345678901234567890"), ("($r.body.price)", "1.10"),
      ("($r.body.much)", "1e400"), ("($r.body.price == 1.1)", "true"),
      ("($r.body.big == a.result.body.big)", "true"), ("($r.body.big > 1)", "true"),
      ("($r.body.much > $r.body.big)", "true"), ("($r.body.price + 1 > 2)", "true"),
      ("($r.body.big == '123456789012345678901234567890')", "true"),
      ("($r.body.big == '123456789012345678901234567891')", "false"),
    ] {
      #expect(try shell.text(text) == expected, "\(text)")
    }
    #expect(try shell.run("($r.body)").json.text == body)
    for command in ["get \(server.url)/", "fetch questions"] {
      let outcome = try Opsh.run(
        "\(command); wait; result last --json", options: ["--endpoint", server.url])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(
        outcome.output.contains(#""big":123456789012345678901234567890"#), "\(outcome.output)")
      #expect(outcome.output.contains(#""much":1e400,"price":1.10}"#), "\(outcome.output)")
    }
  }
}
