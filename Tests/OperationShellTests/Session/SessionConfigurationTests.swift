import Testing

@testable import OperationShell
@testable import ShellSession
@testable import SteerCommands

@Suite("Command-line configuration")
struct SessionConfigurationTests {
  @Test(
    "Timeouts are positive durations",
    arguments: [
      ("2s", true), ("200ms", true), ("1.5", true), ("3", true), ("0", false), ("-1s", false),
      ("soon", false), ("", false), ("20%", false),
    ])
  func timeouts(_ text: String, _ isOne: Bool) {
    var configuration = SessionConfiguration()
    #expect(configuration.setTimeout(text) == isOne)
  }

  @Test(
    "Events and endpoints are known names or a URL",
    arguments: [
      ("practice", true), ("live", true), ("http://127.0.0.1:8080", true), ("ftp://a", false),
      ("nowhere", false), ("", false),
    ])
  func endpoints(_ text: String, _ isOne: Bool) {
    var configuration = SessionConfiguration()
    #expect(configuration.setEndpoint(text) == isOne)
    let knowsEvents = ["stdout", text].map { configuration.setEvents($0) }
    #expect(knowsEvents == [true, false])
    #expect(configuration.events == .standardOutput)
  }

  @Test("Files are in the base directories, and relative base directories are ignored")
  func directories() {
    var configuration = SessionConfiguration()
    configuration.environment = ["HOME": "/home/me"]
    #expect(configuration.startupFile == "/home/me/.config/opsh/rc")
    #expect(configuration.historyFile == "/home/me/.local/state/opsh/history")
    #expect(configuration.storeDirectory == "/home/me/.local/share/opsh")
    configuration.environment = [
      "HOME": "/home/me", "XDG_CONFIG_HOME": "/conf", "XDG_STATE_HOME": "state",
      "XDG_DATA_HOME": "/share",
    ]
    #expect(configuration.startupFile == "/conf/opsh/rc")
    #expect(configuration.historyFile == "/home/me/.local/state/opsh/history")
    #expect(configuration.storeDirectory == "/share/opsh")
    configuration.dataDirectory = "/data"
    #expect(configuration.storeDirectory == "/data")
    #expect(configuration.historyFile == "/data/history")
    configuration.skipsHistory = true
    #expect(configuration.historyFile == nil)
    configuration.environment = [:]
    configuration.dataDirectory = nil
    #expect(configuration.startupFile == nil)
    #expect(configuration.storeDirectory == nil)
  }
}
