import CommandParts
import Foundation
import OpshLocking
import OpshNetworking
package import ShellLanguage
import ShellOutput
import ShellSession
import OpshSystemCalls

/// A command whose operations send requests, with the options of ``RequestParameters``.
protocol SendingCommand: BuildCommand {}

extension SendingCommand {
  static var completions: [ParameterCompletion] { [RequestParameters.authCompletions] }

  static func clockUse(of call: CommandCall) -> ClockUse { RequestParameters.clockUse(of: call) }
}

/// The options of the commands that send requests.
package enum RequestParameters {
  static let header = Option<[String]>(
    "header", help: "header 'Name: value' to send; may be repeated"
  ).checkedEach { (line) throws(UnplacedError) in
    var headers = HTTPHeaders()
    try headers.append(line: line)
  }
  static let userAgent = Option<String?>("user-agent", help: "User-Agent header to send")
  static let connectTimeout = Option<DurationOrOff?>(
    "connect-timeout",
    help: "time limit of finding and reaching the server ('set connect-timeout', 30s)")
  static let idleTimeout = Option<DurationOrOff?>(
    "idle-timeout", help: "time limit without a byte sent or received ('set idle-timeout', 60s)")
  static let maxSize = Option<ByteSize?>(
    "max-size", help: "largest body of a response (default 256MiB; unlimited for a download)")
  static let trusted = Option<String?>(
    "cacert", .file, help: "certificates to trust, instead of the system's (PEM)"
  ).excluding(
    insecure, because: "'--insecure' accepts any certificate, and '--cacert' only some")
  static let insecure = Flag(
    "insecure", help: "accept any certificate: what answers may be another server")
  static let certificate = Option<String?>(
    "cert", .file, help: "certificate of this side, for servers that require one (PEM)")
  static let key = Option<String?>(
    "key-file", .file, help: "private key of '--cert' (default: in the same file)"
  ).needing(certificate)
  static let noRedirects = Flag(
    "no-redirects", help: "fail at a redirect, with its status, instead of following it")
  package static let cached = Flag(
    "cached",
    help: "use the cache: a fresh response at once, a stale one until the server has answered"
  )
  .excluding(
    insecure, because: "what an unverified server says is not kept for later requests"
  )
  .excluding(
    RequestCommands.output, because: "what goes to a file is not kept for later requests")
  package static let coalesce = Flag(
    "coalesce",
    help: "join an equal request that is in flight instead of sending it ('queue coalesce')"
  )
  .excluding(
    RequestCommands.output, because: "what goes to a file is received for that file alone")
  static let retryUnsafe = Flag(
    "retry-unsafe", help: "let '--retry' repeat a request that may change something twice")
  static let retryOn = Option<[Int]>(
    "retry-on", .integer(minimum: 400, maximum: 599),
    help: "additional status that '--retry' retries, such as 404; several with commas"
  ).needing(BuildOptions.retry)
  static let blocking = Flag(
    "blocking", help: "hold a thread until the response has come ('stats threads')")

  /// The options of every request command.
  static let all: [any OptionDeclaration] = [
    header, userAgent, auth, cookies, connectTimeout, idleTimeout, maxSize, noRedirects, retryOn,
    trusted, insecure, certificate, key,
  ]
  /// The options of a request that only reads.
  package static let forReading: [any OptionDeclaration] = [cached, coalesce] + all

  /// What a call that may have `--blocking` has to do with the clock.
  static func clockUse(of call: CommandCall) -> ClockUse {
    guard call.mentions(blocking) else { return .none }
    return .needsRealTime(
      call.failure(
        takingRealTime: "a thread that is held until an answer comes takes real time", at: blocking)
    )
  }

}

extension Option {
  /// Returns the option with the rule that no header is given that it sets.
  func settingHeader(_ name: String) -> Self {
    refused { call, option in
      let header = RequestParameters.header
      guard call.has(option),
        let (_, index) = call.texts(of: header).first(where: {
          $0.text.lowercased().hasPrefix(name.lowercased() + ":")
        })
      else { return nil }
      return call.failure(
        .conflictingOptions, "'--\(option.name)' sets the header '\(name)' too", at: header,
        index: index)
    }
  }
}

extension Invocation {
  /// Reads the options of a request, without those that every operation can have.
  func readRequestOptions() throws -> RequestOptions {
    var options = outside.network.requestDefaults.withLock { $0 }
    options.userAgent = call[RequestParameters.userAgent]
    if let limit = call[RequestParameters.connectTimeout] {
      options.transfer.connectTimeout = limit.duration
    }
    if let limit = call[RequestParameters.idleTimeout] {
      options.transfer.idleTimeout = limit.duration
    }
    if let size = call[RequestParameters.maxSize] { options.transfer.maximumBodySize = size.bytes }
    options.transfer.followsRedirects = !call[RequestParameters.noRedirects]
    options.isCoalesced = call[RequestParameters.coalesce]
    options.retriesUnsafeMethods = call[RequestParameters.retryUnsafe]
    options.retriedStatuses = Set(call[RequestParameters.retryOn])
    options.transfer.tls = try readTLSOptions()
    options.transfer.authentication = try readAuthentication()
    options.transfer.cookies = try readCookies()
    for header in call[RequestParameters.header] { try options.headers.append(line: header) }
    return options
  }

  private func readTLSOptions() throws -> TLSOptions {
    var options = TLSOptions()
    options.trustedCertificatesFile = try readablePath(RequestParameters.trusted)
    options.clientCertificateFile = try readablePath(RequestParameters.certificate)
    options.clientKeyFile = try readablePath(RequestParameters.key)
    options.verifiesServer = !call[RequestParameters.insecure]
    return options
  }

  /// The path of a file that an option names, which can be read.
  private func readablePath(_ option: Option<String?>) throws -> String? {
    guard let path = call[option] else { return nil }
    let place = outside.place(of: path, for: .reading)
    guard access(place.forSystem, R_OK) == 0 else {
      throw call.failure(.file(errno), "'\(path)': \(String(cString: strerror(errno)))", at: option)
    }
    return place
  }

  /// Gives an operation the cache to use, if the call asks for that.
  func cached<Value, Operation: NetworkOperation<Value>>(_ operation: Operation) -> Operation {
    if call[RequestParameters.cached] { operation.responseCache = outside.responseCache }
    return operation
  }
}

extension HTTPHeaders {
  /// Adds a header that is written `Name: value`.
  ///
  /// - Throws: What is wrong with it.
  mutating func append(line header: String) throws(UnplacedError) {
    guard let colon = header.firstIndex(of: ":"), colon != header.startIndex else {
      // Not shown: it may be a secret whose name was forgotten.
      throw UnplacedError(
        .badHeader, "a header is written 'Name: value', and this one has no name and colon")
    }
    let name = String(header[..<colon])
    let value = header[header.index(after: colon)...].drop { $0 == " " }
    do {
      try append(name, String(value))
    } catch {
      var mistake = UnplacedError(error)
      // No form of a header that is always set is right.
      if !Self.isReserved(name) { mistake.help = ErrorPage.badHeader.help }
      throw mistake
    }
  }
}

extension ErrorPage {
  package static let badHeader = ErrorPage(
    "bad-header", "This is not a header", "A header is 'Name: value' in one line.",
    help: "write: --header 'Accept: text/html'", wrong: "get / --header nonsense",
    right: "get / --header 'Accept: text/html'", proof: .unproven)
}
