import Networking
import ShellLanguage

/// What every command that sends a request takes besides, and what it makes of the time limit and
/// the further attempts that every operation can have: they are for the request itself.
extension Invocation {
  static let requestOptions: [CommandSignature.Option] = [
    .init(
      "header", .string, repeats: true,
      help: "a header 'Name: value' to send; may be repeated"),
    .init("user-agent", .string, help: "the User-Agent header to send"),
  ]

  /// Reads those options.
  func readRequestOptions() throws -> RequestOptions {
    var options = RequestOptions()
    options.timeout = call.duration("timeout")
    RetryChoice(call, standard: info.retry).apply(to: &options)
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
