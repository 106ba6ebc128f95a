import TestSupport
import Testing

@testable import ShellCommands
@testable import ShellSession

@Suite("Session settings")
struct SettingTests {
  @Test("Switches are shown as on or off, the same words that set them")
  func trace() throws {
    let fixture = try ShellFixture()
    #expect(try fixture.output(of: "set trace") == ["off"])
    fixture.session.screen.isTracing = true
    let values = try fixture.output(of: "set")
      .map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(
      values == [
        "option value", "clock real", "connect-timeout 30s", "editing emacs", "idle-timeout 1m",
        "keep 100000", "pager off", "seed none", "speed 1", "theme auto", "trace on",
      ])
  }

  @Test(
    "Each setting prints an object with '--json'",
    arguments: [
      "clock", "connect-timeout", "editing", "idle-timeout", "keep", "pager", "seed", "speed",
      "theme",
      "trace",
    ])
  func objects(name: String) throws {
    let outcome = try Opsh.run("set \(name)", options: ["--json"])
    #expect(outcome.output.contains("\"type\":\"setting\""), "\(outcome.output)")
    #expect(outcome.output.contains("\"name\":\"\(name)\""), "\(outcome.output)")
  }
}
