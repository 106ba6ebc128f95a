import Foundation
import Networking

/// What the command line asked of a session.
public struct SessionConfiguration: Sendable {
  /// `--json`: one object per line on standard output and nothing else there.
  public var isJSON = false
  /// `--keep-going`: leave out a faulty statement and go on.
  public var keepsGoing = false
  /// `--timeout`: how long the whole run may take.
  public var timeout: Duration?
  /// Whether that limit is one of real time on the virtual clock too, as under `--test`, whose limit
  /// is against hangs and says nothing of how long a script lets pass.
  public var limitsOnlyRealTime = false
  /// `--no-rc`: don't read the startup file.
  public var skipsStartupFile = false
  /// `--no-history`: read and write no history.
  public var skipsHistory = false
  /// The words after the script's name, which it finds in `$1` and so on.
  public var arguments: [String] = []
  /// Whether signals are read through a descriptor; off in tests that run in one process.
  public var readsSignals = true
  /// Whether styles are used on standard output.
  public var colorsStandardOutput = false
  /// Whether styles are used on standard error.
  public var colorsStandardError = false
  /// Whether the locale can show ASCII only.
  public var isASCII = false
  /// The width of the terminal in columns, asked for each table; nil where there is none.
  public var width: @Sendable () -> Int? = { nil }
  /// The environment, for `$env`.
  public var environment: [String: String] = ProcessEnvironment.variables()

  /// `--data`: where what is kept from one session to the next lies; nil for the usual places.
  public var dataDirectory: String?

  /// `--transcript`: where to write what is typed and what comes of it.
  public var transcriptFile: String?

  var events = EventFeed.Destination.standardError
  var services = World.Services()

  /// Creates the configuration of a run without options.
  public init() {}

  /// Sets where transitions are shown: `stdout`, `stderr` or `off`.
  ///
  /// - Parameter name: The name, as `--events` takes it.
  /// - Returns: Whether there is such a destination.
  public mutating func setEvents(_ name: String) -> Bool {
    guard let destination = EventFeed.Destination(rawValue: name) else { return false }
    events = destination
    return true
  }

  /// Sets which service is asked: `practice`, `live`, or a base URL, or one of them for a single API
  /// as in `quotes=http://127.0.0.1:8080`.
  ///
  /// - Parameter text: The name or URL, as `--endpoint` takes it.
  /// - Returns: Whether it is a name or a usable URL.
  public mutating func setEndpoint(_ text: String) -> Bool {
    (try? services.read(text)) != nil
  }

  /// The startup file: `$XDG_CONFIG_HOME/opsh/rc`.
  var startupFile: String? {
    directory(variable: "XDG_CONFIG_HOME", fallback: ".config").map { $0 + "/opsh/rc" }
  }

  /// The history of typed lines: `$XDG_STATE_HOME/opsh/history`, or in the data directory.
  var historyFile: String? {
    guard !skipsHistory else { return nil }
    if let dataDirectory { return dataDirectory + "/history" }
    return directory(variable: "XDG_STATE_HOME", fallback: ".local/state").map {
      $0 + "/opsh/history"
    }
  }

  /// Where the store lies: `$XDG_DATA_HOME/opsh`, or the data directory; nil where there is none.
  var storeDirectory: String? {
    dataDirectory
      ?? directory(variable: "XDG_DATA_HOME", fallback: ".local/share").map { $0 + "/opsh" }
  }

  /// A base directory by the XDG specification, which wants relative paths to be ignored.
  private func directory(variable: String, fallback: String) -> String? {
    if let path = environment[variable], path.hasPrefix("/") { return path }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/" + fallback
  }
}
