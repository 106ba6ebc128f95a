import Operations
import OpshSecrets
import OpshSupport

extension NetworkOperation {
  /// A curl command that sends the same request.
  ///
  /// Every secret is `***`, or is read from where this request has read it. A body that is long or
  /// not text is read from its file, or else from a file `body`, which has to be written first. The
  /// command omits what curl has no option for: pauses between attempts, and the cache. A note
  /// names what curl does differently after a redirect.
  ///
  /// - Parameter environment: The variables that name proxies.
  /// - Returns: The command.
  public func curlCommand(environment: [String: String] = [:]) -> CurlCommand {
    var command = CurlCommand()
    let headers = sentHeaders
    switch request.method {
    case "GET" where request.body == nil: break
    // The method of curl's options for a body; named, curl would use it after a redirect as well.
    case "POST": break
    case "HEAD": command.add("--head")
    default: command.add("--request", request.method)
    }
    if transfer.followsRedirects {
      command.add("--location", "--max-redirs", String(Redirect.limit))
      addRedirects(to: &command)
    }
    let names = Set(headers.map { $0.name.lowercased() })
    if !names.contains("user-agent") {
      command.add("--user-agent", HTTPHeaders.Field.ourAgent.value)
    }
    addEncodings(to: &command, headers)
    let hasParts = if case .parts = request.bodyOrigin { true } else { false }
    for header in headers {
      var value = header.value
      if hasParts, header.name.lowercased() == "content-type" {
        // The type of a form with files names the line between its parts, which curl chooses itself.
        value = value.firstRange(of: "; boundary=").map { String(value[..<$0.lowerBound]) } ?? value
        if value == "multipart/form-data" { continue }
      }
      // An empty value is written so; with a colon curl would remove the header.
      command.add("--header", value.isEmpty ? header.name + ";" : "\(header.name): \(value)")
    }
    addBody(to: &command, hasType: names.contains("content-type"))
    if let body = request.bodyToSend, body.count >= Self.longBody {
      // curl would ask first whether to send it, and wait a second for the answer.
      command.add("--header", "Expect:")
    }
    if let authentication = transfer.authentication { add(authentication, to: &command) }
    if let cookies = transfer.cookies {
      command.add("--cookie", cookies.path, "--cookie-jar", cookies.path)
      if cookies.path.contains("=") {
        command.notes.append(
          "curl takes '--cookie' with a '=' for a cookie: give the file another name")
      }
    }
    addLimits(to: &command)
    addConnection(to: &command, environment)
    if let outputFile { command.add("--output", outputFile) }
    let address = request.maskedURL
    // curl would send a request for each of the addresses that these could stand for.
    if address.contains(where: { "[]{}".contains($0) }) { command.add("--globoff") }
    command.add(address)
    return command
  }

  /// Less than the length from which curl sends 'Expect', which is 1 MiB for most versions.
  private static var longBody: Int { 1_000_000 }

  /// What makes curl repeat the body after a redirect where this request does.
  private func addRedirects(to command: inout CurlCommand) {
    guard request.method != "POST" else { return }
    if request.bodyToSend != nil { command.add("--post301", "--post302") }
    guard !["GET", "HEAD"].contains(request.method) else { return }
    command.notes.append(
      "after a redirect with status 303 opsh sends GET, and curl \(request.method) without a body")
  }

  /// Adds the accepted encodings that the request does not name itself.
  private func addEncodings(
    to command: inout CurlCommand, _ headers: [(name: String, value: String)]
  ) {
    func value(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name }?.value
    }
    if value("accept-encoding") == nil {
      let field = value("range") == nil ? HTTPHeaders.Field.ourEncodings : .noEncoding
      command.add("--header", "\(field.name): \(field.value)")
    }
    // With the header, curl does not send its own list, and only expands the body.
    if expandsBody { command.add("--compressed") }
  }

  private func addBody(to command: inout CurlCommand, hasType: Bool) {
    switch request.bodyOrigin {
    case .parts(let parts):
      for part in parts {
        guard let type = part.fileType else {
          let isSecret = SecretName.isSecret(part.name, in: .body)
          let text = isSecret ? "***" : SecretText.mask(part.content)
          command.add("--form-string", "\(part.name)=\(text)")
          continue
        }
        let path = part.content.replacing(scalars: ["\\": "\\\\", "\"": "\\\""])
        command.add("--form", "\(part.name)=@\"\(path)\";type=\(type)")
      }
    case .file(let path):
      if !hasType { command.add("--header", "Content-Type:") }
      command.add("--data-binary", "@" + path)
    case .standardInput, nil:
      guard let body = request.bodyToSend else { return }
      // Otherwise curl sends one for a form.
      if !hasType { command.add("--header", "Content-Type:") }
      if let text = Self.shownText(of: body) {
        command.add("--data-raw", text)
      } else if let file = body.soleFile {
        command.add("--data-binary", "@" + file.path)
      } else {
        command.add("--data-binary", "@body")
        command.notes.append("write the body of the request to a file 'body' first")
      }
    }
  }

  private func add(_ authentication: HTTPAuthentication, to command: inout CurlCommand) {
    let (options, start) =
      switch authentication.scheme {
      case .basic: (["--basic", "--user"], authentication.user + ":")
      case .digest: (["--digest", "--user"], authentication.user + ":")
      case .bearer: (["--oauth2-bearer"], "")
      }
    for option in options { command.add(option) }
    if let source = authentication.source {
      command.add(start, rest: source)
    } else {
      command.add(start + "***")
    }
  }

  private func addLimits(to command: inout CurlCommand) {
    let limits = [
      ("--connect-timeout", transfer.connectTimeout),
      ("--max-time", timeLimit),
    ]
    for (name, limit) in limits {
      if let limit { command.add(name, Self.seconds(limit)) }
    }
    if let limit = transfer.idleTimeout {
      // curl counts whole seconds, and 0 would be no limit.
      let seconds = max(1, Int((limit / .seconds(1)).rounded(.up)))
      command.add("--speed-limit", "1", "--speed-time", String(seconds))
    }
    let size = transfer.maximumBodySize
    if size != TransferOptions.usualMaximumBodySize, size != .max {
      command.add("--max-filesize", String(size))
    }
  }

  /// The certificates and the proxy.
  private func addConnection(to command: inout CurlCommand, _ environment: [String: String]) {
    let tls = transfer.tls
    let files = [
      ("--cacert", tls.trustedCertificatesFile), ("--cert", tls.clientCertificateFile),
      ("--key", tls.clientKeyFile),
    ]
    for (name, file) in files {
      guard var file else { continue }
      if name == "--cert" {
        // After a colon curl would read a pass phrase.
        file = file.replacing(scalars: ["\\": "\\\\", ":": "\\:"])
      }
      command.add(name, file)
    }
    if !tls.verifiesServer { command.add("--insecure") }
    let scheme = request.address.scheme
    guard let variable = ProxyChoice.variable(for: scheme, environment: environment) else { return }
    if request.address.isLoopback {
      // curl would ask the proxy for this machine too.
      command.add("--noproxy", "*")
    } else if ProxyChoice.proxy(for: request.address, environment: environment) != nil {
      command.add("--proxy")
      command.add("", rest: .environment(variable))
    }
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
