import Networking
import ShellLanguage

extension HelpTopic {
  /// What all requests share: the environment, and the limits.
  static let network = HelpTopic(
    name: "network", heading: "Requests: environment and limits",
    introduction: """
      All commands that send requests share these limits and variables of the environment. The \
      options of a command come before 'set', and that before the default.
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
        "CURL_CA_BUNDLE, SSL_CERT_FILE",
        "PEM file to trust in place of the system's; '--cacert' comes first"
      ),
      ("SSL_CERT_DIR", "folder to trust too, without '--cacert' and CURL_CA_BUNDLE"),
      (
        "credentials",
        "'--auth basic:USER:env:NAME' (or digest:, or file:PATH, or bearer:env:NAME) logs in; the "
          + "secret is never part of a command. Digest (RFC 7616) answers one challenge of each "
          + "attempt. No other host gets credentials."
      ),
      (
        "cookies",
        "'--cookies FILE' sends and keeps them, in the format of curl and wget; of a domain the "
          + "newest 180 stay. There is no list of public suffixes such as co.uk."
      ),
      (
        "what was sent",
        "'show OP --verbose' and 'show OP --curl'. Of more than 20 attempts, the first and the "
          + "latest 19 are kept, and 16 KiB of the headers of each response."
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
          + "\(ByteCount(HTTPResponseHead.longestLine).description) for each; no option changes that"
      ),
      ("body of an error response", "its first 16 MiB are kept"),
      (
        "requests under way",
        "\(CurlTransport.Configuration().maximumConcurrentTransfers) at once, whatever the widths "
          + "of queues; the others wait, which counts for '--timeout' alone"
      ),
      ("redirects", "20: with '--no-redirects' the first one is an error"),
      (
        "pause that a server asks for",
        "60 s, or '--backoff' if longer; more ends the attempts. A request waits up to 5 min for "
          + "the pause of another to the same path."
      ),
    ])
}
