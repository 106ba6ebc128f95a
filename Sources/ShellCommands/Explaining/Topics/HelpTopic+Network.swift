import BuildCommands
import OpshNetworking
import ShellLanguage

extension HelpTopic {
  /// What all requests share: the environment, and the limits.
  static let network = HelpTopic(
    name: "network", heading: "Requests: environment and limits",
    introduction: """
      Commands that send requests share these limits and variables of the environment. \
      An option comes before 'set', and that before the default.
      """,
    items: [
      (
        "http_proxy",
        "proxy for http:// addresses: http://proxy.example:3128. Only in lower case: web servers "
          + "set HTTP_PROXY to a header of their client."
      ),
      ("https_proxy, HTTPS_PROXY", "proxy for https:// addresses"),
      ("all_proxy, ALL_PROXY", "proxy for both, where they have none of their own"),
      (
        "no_proxy, NO_PROXY",
        "hosts that are reached directly, separated by commas: a name also covers its "
          + "subdomains, '*' covers all. Always: localhost, *.localhost, 127.*, [::1]."
      ),
      (
        "SSL_CERT_FILE",
        "PEM file to trust, not the system's; CURL_CA_BUNDLE comes first"
      ),
      ("SSL_CERT_DIR", "folder to trust too; neither beside CURL_CA_BUNDLE nor '--cacert'"),
      (
        "credentials",
        "'--auth basic:USER:env:NAME' (or digest:, or file:PATH, or bearer:env:NAME) logs in; no "
          + "other host gets the secret, which is never part of a command. Digest (RFC 7616) "
          + "answers one challenge of each attempt."
      ),
      (
        "cookies",
        "'--cookies FILE' sends and keeps them, in the format of curl and wget; the newest "
          + "180 of a domain stay. A line that is not a cookie is skipped with a warning, and "
          + "stays. Public suffixes are not known."
      ),
      (
        "what was sent",
        "'show OP --verbose' and 'show OP --curl'. Of more than 20 attempts the first and the "
          + "latest 19 are kept, of each response 16 KiB of headers."
      ),
      (
        "time to connect",
        "30 s for lookup, connection and TLS handshake of each attempt: "
          + "'set connect-timeout', '--connect-timeout'"
      ),
      (
        "time of silence",
        "60 s without a byte in either direction: 'set idle-timeout', '--idle-timeout'"
      ),
      ("time in all", "no limit; '--timeout' sets one for all attempts together"),
      (
        "body of a response",
        "\(Value.size(Int64(TransferOptions.usualMaximumBodySize)).text) on the wire and expanded: "
          + "'--max-size'. It is held in memory, once; 'download' and '--output' write it to a file "
          + "with some MB of memory, and have no limit."
      ),
      (
        "body of a request",
        "no limit for a file ('--file', '--multipart NAME=@FILE'): one over "
          + "\(Value.size(Int64(InputFile.longestHeld)).text) is read while it is sent, and is an "
          + "error if it has changed since the command. Standard input and pipes: "
          + "\(Value.size(Int64(InputFile.limit)).text), held in memory"
      ),
      (
        "attempts of a download",
        "each requests only the rest, if the server has named the version by a strong 'ETag' or by "
          + "a 'Last-Modified' 60 s before its 'Date'; with an 'ETag' a later download does, too"
      ),
      (
        "headers of a response",
        "\(ByteCount(HTTPResponseHead.maximumSize).description) for all lines together, "
          + "\(ByteCount(HTTPResponseHead.longestLine).description) for each; fixed"
      ),
      ("body of an error response", "its first 16 MiB are kept"),
      (
        "requests under way",
        "\(CurlTransport.Configuration().maximumConcurrentTransfers) at once, whatever the widths "
          + "of queues; the others wait, which counts for '--timeout' alone"
      ),
      ("redirects", "20: with '--no-redirects' the first one is an error"),
      (
        "pauses of servers",
        "60 s, or '--backoff' if longer; a longer one ends the attempts. A request waits up to "
          + "5 min for the pause of another to the same path."
      ),
    ])
}
