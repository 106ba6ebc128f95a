package import ShellLanguage

extension CodedPages {
  /// The code `tls`, and a page for each cause, named by `TLSFailure.topic`.
  package static let tls: [ErrorPage] = [whole] + causes.map(page(of:))

  private static let whole = ErrorPage(
    "tls", "The TLS connection could not be set up",
    """
    The message says why: something is wrong with the certificate of the server, with that of the \
    client, or with the protocol. Each cause has a page of its own: 'explain' right after the error \
    shows it, and 'explain --all' lists them. A retry does not help.
    """,
    help: "'explain' shows the page of the cause",
    wrong: "(a server with a certificate that is not trusted)", right: "get https://example.org/")

  private static let causes: [Cause] = certificates + trust + protocols + clients

  private static func page(of cause: Cause) -> ErrorPage {
    ErrorPage(
      "tls", topic: cause.topic, cause.summary, cause.meaning, help: cause.help,
      wrong: cause.wrong, right: cause.right,
      proof: cause.wrong.hasPrefix("(") ? .unproven : .running)
  }

  /// A cause of the error `tls`.
  private struct Cause {
    let topic: String
    let summary: String
    let meaning: String
    let help: String
    let wrong: String
    var right = "get https://example.org/"
  }

  private static let certificates: [Cause] = [
    Cause(
      topic: "tls-expired", summary: "The certificate of the server has expired",
      meaning: "A certificate is valid until a date. A clock of this machine that is wrong can be "
        + "the reason too.",
      help: "the server's operator has to renew it, and 'date' shows the clock of this machine; "
        + "'--insecure' accepts it, for a test",
      wrong: "server fault expired-certificate\nget '/2.3/info?site=stackoverflow'\nwait",
      right: "server fault expired-certificate\nget '/2.3/info?site=stackoverflow' --insecure\nwait"
    ),
    Cause(
      topic: "tls-not-yet-valid", summary: "The certificate of the server is not valid yet",
      meaning: "A certificate is valid from a date on. More often the clock of this machine is "
        + "behind.",
      help: "'date' shows the clock of this machine",
      wrong: "(a machine whose clock is years behind)"),
    Cause(
      topic: "tls-wrong-host", summary: "The certificate of the server is for another host",
      meaning:
        "The names in a certificate have to include the host of the address. An address with "
        + "a number in place of the name, or another name of the same machine, is another host.",
      help: "use the name that the certificate is for; '--insecure' accepts any, for a test",
      wrong: "server fault wrong-host\nget '/2.3/info?site=stackoverflow'\nwait",
      right: "server fault wrong-host\nget '/2.3/info?site=stackoverflow' --insecure\nwait"),
    Cause(
      topic: "tls-revoked", summary: "The issuer has revoked the certificate of the server",
      meaning: "Its key may be known to others.", help: "the server's operator has to replace it",
      wrong: "(a server with a revoked certificate)"),
  ]

  private static let trust: [Cause] = [
    Cause(
      topic: "tls-self-signed", summary: "The certificate of the server is self-signed",
      meaning: "The server made it for itself, so that nothing proves whose it is. Servers for "
        + "development do so.",
      help: "'--cacert FILE' trusts the certificate in a file, 'SSL_CERT_FILE' in the environment "
        + "does so for all requests",
      wrong: "(a server with a self-signed certificate)",
      right: "get https://localhost:8443/ --cacert server.pem --hold"),
    Cause(
      topic: "tls-unknown-issuer", summary: "The issuer of the server's certificate is not trusted",
      meaning:
        "No trusted certificate is that of the issuer: it is a private one, as companies have, "
        + "or the server does not send the certificates in between.",
      help: "'--cacert FILE' trusts the issuer's certificate in a file, 'SSL_CERT_FILE' in the "
        + "environment does so for all requests",
      wrong: "(a server with a certificate of a company's own issuer)",
      right: "get https://intranet.example/ --cacert issuer.pem --hold"),
    Cause(
      topic: "tls-nothing-trusted", summary: "This system has no trusted certificates",
      meaning: "They come with the package ca-certificates, which a small container lacks.",
      help:
        "install the package ca-certificates, or name a file with 'SSL_CERT_FILE' or '--cacert'",
      wrong: "(a system without the package ca-certificates)"),
    Cause(
      topic: "tls-trusted-file", summary: "The file of trusted certificates cannot be used",
      meaning:
        "'--cacert', 'SSL_CERT_FILE' or 'CURL_CA_BUNDLE' names it. It does not exist, may not "
        + "be read, or has no certificate in the format PEM.",
      help: "check the name and the content of the file",
      wrong: "(a file that is empty)", right: "get https://example.org/ --cacert own.pem --hold"),
  ]

  private static let protocols: [Cause] = [
    Cause(
      topic: "tls-protocol", summary: "The server offers no TLS version or cipher that is accepted",
      meaning: "Old servers and devices offer TLS 1.0 and 1.1 alone, or ciphers and keys that are "
        + "too weak. The settings of OpenSSL on this system say what is accepted.",
      help: "the server has to be upgraded to TLS 1.2 or later",
      wrong: "(a server that offers TLS 1.0 alone)"),
    Cause(
      topic: "tls-refused", summary: "The server refused the TLS handshake without a reason",
      meaning: "It has no version or cipher in common with this side. A server of TLS 1.2 that "
        + "requires a client certificate says the same.",
      help: "if the server requires a client certificate: '--cert FILE --key-file FILE'",
      wrong: "(a server that requires a client certificate by TLS 1.2)"),
    Cause(
      topic: "tls-not-spoken", summary: "The server does not speak TLS at this port",
      meaning: "The answer was not TLS: often the port is that of plain HTTP.",
      help: "check the port, or write http:// in place of https://",
      wrong: "(https:// with the port of a server for http://)",
      right: "get http://example.org/"),
    Cause(
      topic: "tls-closed", summary: "The server closed the connection during the TLS handshake",
      meaning: "It is overloaded or stopping, something in between interferes, or it refuses "
        + "clients in this way.",
      help: "try again later", wrong: "(a server that closes at once)"),
  ]

  private static let clients: [Cause] = [
    Cause(
      topic: "tls-client-certificate", summary: "The server requires a client certificate",
      meaning: "It accepts only clients that prove who they are by a certificate.",
      help: "'--cert FILE --key-file FILE' presents one",
      wrong: "(a server that requires a client certificate)",
      right: "get https://example.org/ --cert client.pem --key-file client.key --hold"),
    Cause(
      topic: "tls-client-rejected", summary: "The server rejected the client certificate",
      meaning:
        "It does not trust its issuer, or the certificate has expired, was revoked, or is not "
        + "for this use.",
      help: "ask who runs the server for a certificate that it accepts",
      wrong: "(a client certificate of an issuer that the server does not know)",
      right: "get https://example.org/ --cert client.pem --key-file client.key --hold"),
    Cause(
      topic: "tls-client-file", summary: "The client certificate or its key cannot be used",
      meaning: "Both have to be in the format PEM, and the key has to belong to the certificate. "
        + "Without '--key-file' the key has to be in the same file.",
      help: "check the files of '--cert' and '--key-file'",
      wrong: "(a certificate without its key)",
      right: "get https://example.org/ --cert client.pem --key-file client.key --hold"),
    Cause(
      topic: "tls-encrypted-key", summary: "The key of the client certificate is encrypted",
      meaning: "A script could not answer a question for its pass phrase.",
      help: "decrypt it into a file that only you can read: openssl pkey -in KEY -out FILE",
      wrong: "(a key with a pass phrase)",
      right: "get https://example.org/ --cert client.pem --key-file client.key --hold"),
  ]
}
