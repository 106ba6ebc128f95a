import CommandParts
import Foundation
import Locking
import Networking
package import ShellLanguage
import ShellOutput
import ShellSession
import SystemCalls

/// A command whose operations send requests, with the options of ``RequestParameters``.
protocol SendingCommand: BuildCommand {}

extension SendingCommand {
  static var completions: [ParameterCompletion] { [RequestParameters.authCompletions] }

  static func clockUse(of call: CheckedCall) -> ClockUse {
    RequestParameters.clockUse(of: call)
  }

  static func mistakes(in call: CheckedCall) -> [CheckedCall.Mistake] {
    RequestParameters.mistakes(in: call)
  }
}

/// The options of the commands that send requests.
package enum RequestParameters {
  static let header = Option<[String]>(
    "header", help: "header 'Name: value' to send; may be repeated")
  static let userAgent = Option<String?>("user-agent", help: "User-Agent header to send")
  static let connectTimeout = Option<DurationOrOff?>(
    "connect-timeout",
    help: "time limit of finding and reaching the server ('set connect-timeout', 30s)")
  static let idleTimeout = Option<DurationOrOff?>(
    "idle-timeout", help: "time limit without a byte sent or received ('set idle-timeout', 60s)")
  static let maxSize = Option<ByteSize?>(
    "max-size", help: "largest body of a response (default 256MiB; unlimited for a download)")
  static let trusted = Option<String?>(
    "cacert", .file, help: "certificates to trust, instead of the system's (PEM)")
  static let insecure = Flag(
    "insecure", help: "accept any certificate: what answers may be another server")
  static let certificate = Option<String?>(
    "cert", .file, help: "certificate of this side, for servers that require one (PEM)")
  static let key = Option<String?>(
    "key-file", .file, help: "private key of '--cert' (default: in the same file)")
  static let noRedirects = Flag(
    "no-redirects", help: "fail at a redirect, with its status, instead of following it")
  package static let cached = Flag(
    "cached",
    help: "use the cache: a fresh response at once, a stale one until the server has answered")
  static let retryUnsafe = Flag(
    "retry-unsafe", help: "let '--retry' repeat a request that may change something twice")
  static let retryOn = Option<[Int]>(
    "retry-on", .integer(minimum: 400, maximum: 599),
    help: "additional status that '--retry' retries, such as 404; several with commas")
  static let blocking = Flag(
    "blocking", help: "hold a thread until the response has come ('stats threads')")

  /// The options of every request command.
  static let all: [any OptionDeclaration] = [
    header, userAgent, auth, cookies, connectTimeout, idleTimeout, maxSize, noRedirects, retryOn,
    trusted, insecure, certificate, key,
  ]
  /// The options of a request that only reads.
  package static let forReading: [any OptionDeclaration] = [cached] + all

  /// Why the virtual clock refuses `--blocking`.
  static let blockingReason = "a thread that is held until an answer comes takes real time"

  /// What a call that may have `--blocking` has to do with the clock.
  static func clockUse(of call: CheckedCall) -> ClockUse {
    call.mentions(blocking) ? .needsRealTime(.init(blockingReason, at: blocking)) : .none
  }

  /// Headers that can never be sent, credentials that name no secret, and options that do not go
  /// together.
  static func mistakes(in call: CheckedCall) -> [CheckedCall.Mistake] {
    mistakesInAuth(of: call)
      + call.written(header).compactMap { text, index in
        var headers = HTTPHeaders()
        return headers.append(line: text).map { mistake in
          CheckedCall.Mistake(
            mistake.page, mistake.message, at: header, index: index, help: mistake.help)
        }
      } + conflicts(in: call)
  }

  static let unverifiedCache =
    "what an unverified server says is not kept for later requests"
  static let unverifiedTrust =
    "'--insecure' accepts any certificate, and '--cacert' only some"

  private static func conflicts(in call: CheckedCall) -> [CheckedCall.Mistake] {
    var mistakes: [CheckedCall.Mistake] = []
    // A group may say how often to retry, and a use of an alias what else there is.
    if !call.inheritsOptions {
      mistakes += missing(certificate, for: key, in: call)
      mistakes += missing(BuildOptions.retry, for: retryOn, in: call)
    }
    if call.mentions(insecure), call.mentions(cached) {
      mistakes.append(.init(.conflictingOptions, unverifiedCache, at: cached))
    }
    if call.mentions(insecure), call.mentions(trusted) {
      mistakes.append(.init(.conflictingOptions, unverifiedTrust, at: trusted))
    }
    return mistakes + call.headers("Authorization", alsoSetBy: auth)
      + call.headers("Cookie", alsoSetBy: cookies)
  }

  private static func missing(
    _ other: some Parameter, for option: some Parameter, in call: CheckedCall
  ) -> [CheckedCall.Mistake] {
    guard !call.written(option).isEmpty, !call.mentions(other) else { return [] }
    return [
      .init(.missingOption, BuildOptions.meansNothing(option, without: other), at: option)
    ]
  }

  static func setTwice(_ header: String, by option: some Parameter) -> String {
    "'--\(option.name)' sets the header '\(header)' too"
  }
}

extension CheckedCall {
  /// The headers that an option of the call sets as well.
  fileprivate func headers(_ name: String, alsoSetBy option: some Parameter) -> [Mistake] {
    guard mentions(option) else { return [] }
    return written(RequestParameters.header)
      .filter { $0.text.lowercased().hasPrefix(name.lowercased() + ":") }.map {
        Mistake(
          .conflictingOptions, RequestParameters.setTwice(name, by: option),
          at: RequestParameters.header, index: $0.index)
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
    options.retriesUnsafeMethods = call[RequestParameters.retryUnsafe]
    try call.refuse(RequestParameters.retryOn, without: BuildOptions.retry)
    options.retriedStatuses = Set(call[RequestParameters.retryOn])
    options.transfer.tls = try readTLSOptions()
    options.transfer.authentication = try readAuthentication()
    options.transfer.cookies = try readCookies()
    for (index, header) in call[RequestParameters.header].enumerated() {
      if let mistake = options.headers.append(line: header) {
        throw call.failure(mistake, at: RequestParameters.header, index: index)
      }
    }
    return options
  }

  private func readTLSOptions() throws -> TLSOptions {
    var options = TLSOptions()
    options.trustedCertificatesFile = try readablePath(RequestParameters.trusted)
    options.clientCertificateFile = try readablePath(RequestParameters.certificate)
    options.clientKeyFile = try readablePath(RequestParameters.key)
    options.verifiesServer = !call[RequestParameters.insecure]
    try call.refuse(RequestParameters.key, without: RequestParameters.certificate)
    if !options.verifiesServer {
      try refuse(
        RequestParameters.cached, RequestParameters.unverifiedCache)
      try refuse(RequestParameters.trusted, RequestParameters.unverifiedTrust)
    }
    return options
  }

  private func refuse(_ option: some Parameter, _ reason: String) throws {
    guard call.has(option) else { return }
    throw call.failure(.conflictingOptions, reason, at: option)
  }

  /// The path of a file that an option names, which can be read.
  private func readablePath(_ option: Option<String?>) throws -> String? {
    guard let path = call[option] else { return nil }
    let place = outside.place(of: path)
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
  /// - Returns: What is wrong with it; nil where it was added.
  mutating func append(line header: String) -> UnplacedError? {
    guard let colon = header.firstIndex(of: ":"), colon != header.startIndex else {
      // Not shown: it may be a secret whose name was forgotten.
      return UnplacedError(
        .badHeader, "a header is written 'Name: value', and this one has no name and colon")
    }
    let name = String(header[..<colon])
    let value = header[header.index(after: colon)...].drop { $0 == " " }
    do {
      try append(name, String(value))
      return nil
    } catch {
      var mistake = UnplacedError(error)
      // No form of a header that is always set is right.
      if !Self.isReserved(name) { mistake.help = ErrorPage.badHeader.help }
      return mistake
    }
  }
}

extension ErrorPage {
  package static let badHeader = ErrorPage(
    "bad-header", "This is not a header", "A header is 'Name: value' in one line.",
    help: "write: --header 'Accept: text/html'", wrong: "get / --header nonsense",
    right: "get / --header 'Accept: text/html'", proof: .unproven)
}
