import Networking
import ShellLanguage

/// What every command that sends a request takes besides.
extension Invocation {
  static let requestOptions: [CommandSignature.Option] = [
    .init("timeout", .duration, help: "how long the whole of it may take"),
    .init(
      "retry", .integer(minimum: 0, maximum: 100),
      help: "how often to try again where trying again is safe"),
    .init("backoff", .duration, help: "how long to wait before the first further attempt"),
    .init(
      "header", .string, repeats: true,
      help: "a header 'Name: value' to send; may be repeated"),
    .init("user-agent", .string, help: "the User-Agent header to send"),
  ]

  /// Reads those options.
  func readRequestOptions() throws -> RequestOptions {
    var options = RequestOptions()
    options.timeout = call.duration("timeout")
    options.retryCount = call.integer("retry") ?? 0
    options.backoff = call.duration("backoff")
    options.userAgent = call.string("user-agent")
    for header in call.strings("header") {
      guard let colon = header.firstIndex(of: ":"), colon != header.startIndex else {
        throw call.failure(
          "bad-header", "a header is written 'Name: value', and '\(header)' has no colon",
          at: "header")
      }
      let value = header[header.index(after: colon)...].drop { $0 == " " }
      do {
        try options.headers.append(String(header[..<colon]), String(value))
      } catch {
        throw call.failure(error.code, error.message, at: "header")
      }
    }
    return options
  }
}
