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
    .init("connect-timeout", .duration, help: "how long finding and reaching the server may take"),
    .init("idle-timeout", .duration, help: "how long nothing at all may come"),
    .init(
      "max-size", .size,
      help: "how large the body of the answer may be; 268MB if left out, without end for a download"
    ),
    .init("no-redirects", help: "take a redirect for the answer"),
  ]

  /// For those that may change something on the server.
  static let unsafeRetryOption = CommandSignature.Option(
    "retry-unsafe", help: "let '--retry' send again what may then be done twice")

  /// Reads those options.
  func readRequestOptions() throws -> RequestOptions {
    var options = RequestOptions()
    options.timeout = call.duration("timeout")
    RetryChoice(call, standard: info.retry).apply(to: &options)
    options.userAgent = call.string("user-agent")
    if let limit = call.duration("connect-timeout") { options.connectTimeout = limit }
    if let limit = call.duration("idle-timeout") { options.idleTimeout = limit }
    if let size = call.size("max-size") { options.maximumBodySize = size }
    options.followsRedirects = !call.flag("no-redirects")
    options.retriesUnsafeMethods = call.flag("retry-unsafe")
    for header in call.strings("header") {
      if let mistake = options.headers.append(line: header) {
        throw call.failure(mistake.code, mistake.message, at: "header")
      }
    }
    return options
  }
}

extension HTTPHeaders {
  /// Adds a header that is written `Name: value`.
  ///
  /// - Returns: What is wrong with it; nil where it was added.
  mutating func append(line header: String) -> (code: String, message: String)? {
    guard let colon = header.firstIndex(of: ":"), colon != header.startIndex else {
      // Not shown: it may be a secret whose name was forgotten.
      return (
        "bad-header", "a header is written 'Name: value', and this one has no name and colon"
      )
    }
    let value = header[header.index(after: colon)...].drop { $0 == " " }
    do {
      try append(String(header[..<colon]), String(value))
      return nil
    } catch {
      return (error.code, error.message)
    }
  }
}

extension CommandSignature.Option {
  /// Waits for the answer as code without asynchronous calls does.
  static let blocking = CommandSignature.Option(
    "blocking", help: "hold a thread until the answer has come ('stats threads')")
}

extension CommandSignature.Positional {
  /// The address of a request.
  static let requestURL = CommandSignature.Positional(
    "url", .url, help: "an http or https URL, or a path")
}
