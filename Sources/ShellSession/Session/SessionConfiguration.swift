import Foundation
package import OpshProcesses
public import ShellOutput

/// The options of the command line for a session.
public struct SessionConfiguration: Sendable {
  /// `--json`: one object per line on standard output and nothing else there.
  public var isJSON = false
  /// `--keep-going`: skip a faulty statement and continue.
  public var keepsGoing = false
  /// `--timeout`: how long the whole run may take.
  public var timeout: Duration?
  /// Whether `--timeout` limits real time even on the virtual clock, as under `--test`, where the
  /// limit guards against hangs and does not limit virtual time.
  public var limitsOnlyRealTime = false
  /// `--no-rc`: don't read the startup file.
  public var skipsStartupFile = false
  /// `--no-history`: read and write no history.
  public var skipsHistory = false
  /// The words after the script's name, which it finds in `$1` and so on.
  public var arguments: [String] = []
  /// The descriptors of standard input, output and error.
  public var streams = StandardStreams()
  /// The absolute path of the directory that relative paths start from, also those of programs; nil
  /// for the working directory of the process.
  public var directory: String?
  /// The arguments of the process, which errors about a missing file point at.
  public var commandLine: [String] = []
  /// Whether standard output has styles.
  public var colorsStandardOutput = false
  /// Whether standard error has styles.
  public var colorsStandardError = false
  /// Whether the locale can show ASCII only.
  public var isASCII = false
  /// Returns the width of the terminal in columns, for each table; nil without a terminal.
  public var width: @Sendable () -> Int? = { nil }
  /// The environment, for `$env`, for programs, and for proxies.
  public var environment: [String: String] = ProcessEnvironment.variables()

  /// The path of opsh, for the processes that it starts of itself.
  public var program = "/proc/self/exe"

  /// `--data`: the directory of persistent data; nil for the usual directories.
  public var dataDirectory: String?

  /// `--replay`: the recording that the session shows.
  public var replayFile: String?

  /// `--transcript`: the file for typed lines and their output.
  public var transcriptFile: String?

  package var events = EventFeed.Destination.standardError
  var services = NetworkEnvironment.Services()

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

  /// Sets the service: `practice`, `live`, or a base URL, or one of them for a single API as in
  /// `quotes=http://127.0.0.1:8080`.
  ///
  /// - Parameter text: The name or URL, as `--endpoint` takes it.
  /// - Returns: Whether it is a valid name or URL.
  public mutating func setEndpoint(_ text: String) -> Bool {
    (try? services.read(text)) != nil
  }

  /// Returns a path that the system resolves as the session does.
  package func path(_ path: String) -> String {
    guard let directory, !path.isEmpty, !path.hasPrefix("/") else { return path }
    return directory + "/" + path
  }

  /// The startup file: `$XDG_CONFIG_HOME/opsh/rc`.
  package var startupFile: String? {
    directory(variable: "XDG_CONFIG_HOME", fallback: ".config").map { $0 + "/opsh/rc" }
  }

  /// The history of typed lines: `$XDG_STATE_HOME/opsh/history`, or in the data directory.
  package var historyFile: String? {
    guard !skipsHistory else { return nil }
    if let dataDirectory { return path(dataDirectory) + "/history" }
    return directory(variable: "XDG_STATE_HOME", fallback: ".local/state").map {
      $0 + "/opsh/history"
    }
  }

  /// The directory of the store: `$XDG_DATA_HOME/opsh`, or the data directory; nil if unknown.
  var storeDirectory: String? {
    dataDirectory.map(path)
      ?? directory(variable: "XDG_DATA_HOME", fallback: ".local/share").map { $0 + "/opsh" }
  }

  /// A base directory by the XDG specification, which requires relative paths to be ignored.
  private func directory(variable: String, fallback: String) -> String? {
    if let path = environment[variable], path.hasPrefix("/") { return path }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/" + fallback
  }
}

extension SessionConfiguration {
  /// Where the programs of the session run.
  package var programPlace: ProgramPlace {
    ProgramPlace(environment: environment, directory: directory, errors: streams.errors)
  }
}
