import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell

@Suite("Session settings")
struct SettingTests {
  @Test("Switches are shown as on or off, the same words that set them")
  func trace() throws {
    let fixture = try ShellFixture()
    #expect(try fixture.output(of: "set trace") == ["off"])
    fixture.session.isTracing = true
    #expect(SetTrace.text(in: fixture.session) == "on")
    #expect(try !fixture.output(of: "set").contains { $0.contains("false") || $0.contains("true") })
  }

  @Test(
    "Each setting prints an object with '--json'",
    arguments: ["clock", "keep", "pager", "seed", "trace"])
  func objects(name: String) throws {
    let outcome = try Opsh.run("set \(name)", options: ["--json"])
    #expect(outcome.output.contains("\"type\":\"setting\""), "\(outcome.output)")
    #expect(outcome.output.contains("\"name\":\"\(name)\""), "\(outcome.output)")
  }
}
