import Operations
import Secrets

extension NetworkOperation {
  /// The words of a curl command that sends the same request; every secret is `***`.
  ///
  /// A file is named. Another body that is no text, or long, is read from a file `body`, which has to
  /// be written first. What curl has no option for is missing: pauses between attempts, and the cache.
  public var curlCommand: [String] {
    var words = ["curl"]
    let headers = sentHeaders
    switch request.method {
    case "GET" where request.body == nil: break
    // The method of curl's options for a body; named, curl would use it after a redirect as well.
    case "POST": break
    case "HEAD": words.append("--head")
    default: words += ["--request", request.method]
    }
    if options.followsRedirects, request.followsRedirects {
      words += ["--location", "--max-redirs", String(Redirect.limit)]
    }
    let names = Set(headers.map { $0.name.lowercased() })
    if !names.contains("user-agent") {
      words += ["--user-agent", HTTPHeaders.Field.ourAgent.value]
    }
    if !names.contains("accept-encoding"), !names.contains("range") { words.append("--compressed") }
    for header in headers {
      // An empty value is written so; with a colon curl would remove the header.
      words += [
        "--header", header.value.isEmpty ? header.name + ";" : "\(header.name): \(header.value)",
      ]
    }
    if let body = request.bodyToSend {
      // Otherwise curl sends one for a form.
      if !names.contains("content-type") { words += ["--header", "Content-Type:"] }
      words +=
        Self.shownText(of: body).map { ["--data-raw", $0] }
        ?? ["--data-binary", "@" + (body.soleFile?.path ?? "body")]
    }
    let limits = [
      ("--connect-timeout", options.connectTimeout), ("--max-time", options.timeout ?? timeLimit),
    ]
    for (name, limit) in limits {
      if let limit { words += [name, Self.seconds(limit)] }
    }
    let tls = options.tls
    let files = [
      ("--cacert", tls.trustedCertificatesFile), ("--cert", tls.clientCertificateFile),
      ("--key", tls.clientKeyFile),
    ]
    for (name, file) in files { if let file { words += [name, file] } }
    if !tls.verifiesServer { words.append("--insecure") }
    return words + outputWords + [request.maskedURL]
  }

  /// A time limit in seconds, without a fraction that says nothing.
  private static func seconds(_ limit: Duration) -> String {
    let seconds = limit / .seconds(1)
    return Int(exactly: seconds).map(String.init) ?? "\(seconds)"
  }

  /// A body as text, with its secrets masked; nil for one that is long or cannot be typed.
  private static func shownText(of body: RequestBody) -> String? {
    guard body.count <= 4_096, let bytes = body.heldBytes,
      let text = String(validating: bytes, as: UTF8.self),
      text.unicodeScalars.allSatisfy({
        $0 == "\n" || $0 == "\t" || $0.value >= 32 && $0 != "\u{7F}"
      })
    else { return nil }
    return SecretText.mask(text)
  }
}
