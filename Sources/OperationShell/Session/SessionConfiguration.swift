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
  /// `--no-rc`: don't read the startup file.
  public var skipsStartupFile = false
  /// `--no-history`: read and write no history.
  public var skipsHistory = false
  /// The words after the script's name: `$1`, `$2`, …
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
  public var environment: [String: String] = ProcessInfo.processInfo.environment

  var events = EventFeed.Destination.standardError
  var endpoint = World.Selection.practice

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

  /// Sets which service is asked: `practice`, `live`, or a base URL.
  ///
  /// - Parameter text: The name or URL, as `--endpoint` takes it.
  /// - Throws: An error that says what is wrong with the URL.
  public mutating func setEndpoint(_ text: String) throws {
    endpoint = try World.Selection(text)
  }
}
