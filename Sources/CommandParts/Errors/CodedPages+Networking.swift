package import ShellLanguage

extension CodedPages {
  /// How `--auth` is written.
  package static let authenticationHelp =
    "write: --auth basic:USER:env:NAME, --auth digest:USER:file:PATH, or --auth bearer:env:NAME"

  /// The codes of `NetworkError`.
  package static let networking: [ErrorPage] = [
    ErrorPage(
      "connection-refused", "The server does not accept connections",
      "Nothing listens at that address and port.",
      help: "check the host and the port, and that the server runs there",
      wrong: "get http://127.0.0.1:1/\nwait --any-outcome\nexpect (get-1.outcome == succeeded)",
      right: "get /", proof: .unproven),
    ErrorPage(
      "connection-refused", topic: "service-unreachable",
      "The service of an endpoint could not be reached",
      "The request named a path only: 'endpoint' has set the server. Nothing listens there, or its "
        + "name could not be resolved.",
      help: "'endpoint' shows and sets the service; 'server' says whether the practice server "
        + "runs",
      wrong: "endpoint http://127.0.0.1:1\nget /\nwait",
      right: "endpoint practice\nget /\nwait", proof: .running),
    ErrorPage(
      "host-unreachable", "The network has no way to the server",
      "This machine has no network, or none of its routes leads there, or a firewall forbids it.",
      help: "check the address, and the network of this machine: ip route get ADDRESS",
      wrong: "get http://224.0.0.1/\nwait", right: "get /", proof: .unproven),
    ErrorPage(
      "host-not-found", "The name of the server could not be resolved",
      "The name is misspelt, or this machine has no network.",
      help: "check the name in the address", wrong: "get http://host.invalid/",
      right: "get http://example.org/", proof: .unproven),
    ErrorPage(
      "connection-lost", "The connection ended before the response was complete",
      "The server closed it, or the network did.", help: "'--retry N' retries the request",
      wrong: "server drop 100%\nget '/2.3/info?site=stackoverflow'\nwait",
      right: "get '/2.3/info?site=stackoverflow' --retry 3\nwait", proof: .running),
    ErrorPage(
      "invalid-status-code", "The server answered with an error status",
      "The status follows the code in parentheses: invalid-status-code(503).",
      help: "'result OP' shows the response; '--retry N' retries if repeating is safe",
      wrong: "server fail 100%\nfetch questions\nwait", right: "fetch questions\nwait",
      proof: .unproven),
    ErrorPage(
      "invalid-status-code", topic: "unauthorized", "The server asks for credentials",
      "It answered with status 401: there were none, or not the right ones.",
      help: "'--auth' sends a name and a password, or a token: 'help network'",
      wrong: "get /auth/basic\nwait",
      right: "echo practice > secret.txt\n"
        + "get /auth/basic --auth basic:opsh:file:secret.txt\nwait",
      proof: .running),
    ErrorPage(
      "invalid-status-code", topic: "unfit-credentials",
      "The server asks for other credentials than those of '--auth'",
      "It answered with status 401. The message lists what it offers. Of digest, opsh knows the "
        + "algorithms MD5 and SHA-256, also with '-sess', and 'qop' if it is 'auth', 'auth-int' or "
        + "absent; 'auth-int' only for bodies up to 1 MB, since it covers the body.",
      help: "'--auth' with a scheme that the server offers, of basic, digest and bearer",
      wrong: "get /auth/basic --auth bearer:env:HOME\nwait",
      right: "echo practice > secret.txt\n"
        + "get /auth/basic --auth basic:opsh:file:secret.txt\nwait",
      proof: .running),
    ErrorPage(
      "connection-refused", topic: "proxy-failed", "The proxy could not be used",
      "Requests to other machines go through the proxy that the environment names, if it names one.",
      help: "http_proxy, https_proxy and all_proxy name the proxy, no_proxy what needs none: "
        + "'help network'",
      wrong: "(http_proxy=http://127.0.0.1:1 opsh -c 'get http://example.org/; wait')",
      right: "get http://example.org/"),
    ErrorPage(
      "invalid-status-code", topic: "proxy-credentials",
      "The proxy asks for a name and a password",
      "It answered with status 407, in place of the server: there were none, or not the right ones. "
        + "opsh sends them by the scheme Basic. '--auth' is for servers.",
      help:
        "write NAME:PASSWORD@ before the host in the variable that names the proxy: http_proxy, "
        + "https_proxy or all_proxy",
      wrong: "(http_proxy=http://proxy.example:3128 opsh -c 'get http://example.org/; wait')",
      right: "get http://example.org/"),
    ErrorPage(
      "missing-data", "The response has no body",
      "The value of the request is the body of its response.",
      help: "'show OP --verbose' shows the headers of the response", wrong: "(an empty answer)",
      right: "fetch questions"),
    ErrorPage(
      "serialization", "The body of the response could not be decoded",
      "It is not JSON, or not what the API promises. The message says where.",
      help:
        "'show OP --verbose' shows the headers of the response; 'get URL' gets its body as it is",
      wrong: "(an answer that is not JSON)", right: "fetch questions"),
    ErrorPage(
      "bad-response", "The response is broken", "It does not keep the rules of HTTP.",
      help: "the fault is the server's: 'show OP --verbose' shows what it sent",
      wrong: "(a broken answer)", right: "get /"),
    ErrorPage(
      "bad-response", topic: "unknown-encoding", "The encoding of the body can't be decoded",
      "opsh decodes gzip and deflate, but not two encodings of the same body. It asks for no other, "
        + "unless a header 'Accept-Encoding' does.",
      help: "leave out the header 'Accept-Encoding', or name gzip, deflate or identity in it",
      wrong: "(a body with the encoding br)", right: "get /"),
    ErrorPage(
      "too-large", topic: "body-too-large", "The body of the response is larger than is accepted",
      "The limit counts the bytes on the wire and the expanded ones, so that no server fills the "
        + "memory.",
      help: "'--max-size SIZE' sets another limit; 'download' writes to a file and has none",
      wrong: "get '/2.3/info?site=stackoverflow' --max-size 10B\nwait",
      right: "get '/2.3/info?site=stackoverflow'\nwait", proof: .running),
    ErrorPage(
      "too-large", topic: "headers-too-large",
      "The headers of the response are larger than is accepted",
      "A header line may have 100 KiB, and all lines together 256 KiB. No option changes that: "
        + "servers send a hundredth of it.",
      help: "the fault is the server's: tell who runs it",
      wrong: "server fault huge-header\nget '/2.3/info?site=stackoverflow'\nwait",
      right: "get '/2.3/info?site=stackoverflow'\nwait", proof: .running),
    ErrorPage(
      "bad-url", topic: "user-in-url", "The URL holds a user name or a password",
      "Histories, saved scripts and lists of processes would show the password. '--auth' reads it from "
        + "the environment or from a file.",
      help: authenticationHelp, wrong: "get http://opsh:practice@127.0.0.1/auth/basic",
      right: "get /auth/basic --auth basic:opsh:env:HOME; wait --any-outcome", proof: .checking),
    ErrorPage(
      "bad-response", topic: "user-in-redirect", "A redirect leads to an address with a user name",
      "A server could choose by it who sends the next request. '--auth' counts for the origin of the "
        + "first request alone.",
      help: "'--no-redirects' and 'result' show its address; request it without the name",
      wrong: "(a redirect to http://user@host/)", right: "get /"),
    ErrorPage(
      "unsupported-protocol", topic: "protocol-in-redirect",
      "A redirect leads to an address with another protocol",
      "Only redirects to http:// and https:// are followed, so that no server can ask for a file of "
        + "this machine.",
      help: "'--no-redirects' fails at the redirect; 'result' then shows its address",
      wrong: "(a redirect to ftp://host/)", right: "get /"),
    ErrorPage(
      "too-many-redirects", "The server redirected too often",
      "Redirects that lead to each other never end.", help: "ask the address where they end",
      wrong: "(redirects that form a cycle)", right: "get /"),
    ErrorPage(
      "bad-request", "The request cannot be made",
      "What it is to hold cannot be sent: the message says why.",
      wrong: "(a header with a line break)", right: "get /"),
    ErrorPage(
      "bad-cookie-file", "This is not a file of cookies",
      "curl and wget write such files: a line for each cookie, with 7 fields between tabs. Of a "
        + "file of cookies, a line that is not a cookie is only a warning: it is skipped, as in "
        + "curl, and stays in the file.",
      help:
        "correct or delete the line, or name a file that does not exist: '--cookies' creates it",
      wrong: "echo text > notes.txt\nget /cookies --cookies notes.txt",
      right: "get /cookies --cookies cookies.txt\nwait", proof: .running),
    ErrorPage(
      "api", "The service refused the request",
      "It says why by a number, a name and a sentence: api(502, throttle_violation, …).",
      wrong: "fetch questions --pagesize 1 --page 1000000", right: "fetch questions --page 1",
      proof: .unproven),
    ErrorPage(
      "transport-unavailable", "Requests are not possible",
      "libcurl is missing: it is opened when the first request needs it. Or the system has no "
        + "thread, file descriptor or memory left; the message says which.",
      help:
        "install what is missing, such as the package libcurl4, or let fewer operations execute "
        + "at once",
      wrong: "(a system without libcurl)", right: "get /"),
  ]

  /// The codes of `StoreError`.
  package static let stores: [ErrorPage] = [
    ErrorPage(
      "store-unavailable", "The store cannot be opened",
      "The folder for data cannot be used, or there is none.",
      help: "'--data DIR' stores everything in another folder",
      wrong: "(a folder that cannot be written)",
      right: "tags list"),
    ErrorPage(
      "store-unavailable", topic: "store-library", "There is no library for the store",
      "Search tags, quotes and the cache need SQLite 3.37 or later, which is opened on first use.",
      help: "install the package libsqlite3-0", wrong: "(a system without SQLite)",
      right: "tags list"),
    ErrorPage(
      "store-newer", "A later version of opsh wrote the store",
      "This version cannot read the store and does not change it.",
      help: "use the later version, or '--data DIR'", wrong: "(a store of a later version)",
      right: "tags list"),
    ErrorPage(
      "store-damaged", "The store is damaged",
      "opsh does not change it, so that you can inspect it.",
      help: "move the file away; a new one is made", wrong: "(a damaged file)", right: "tags list"),
    ErrorPage(
      "store-foreign", "The file is not a store of opsh", "Another program wrote it.",
      help: "'--data DIR' stores everything in another folder",
      wrong: "(a file of another program)",
      right: "tags list"),
    ErrorPage(
      "store-unwritable", "The store can only be read", "Its file or folder is write-protected.",
      help: "'--data DIR' stores everything in another folder", wrong: "(a write-protected folder)",
      right: "tags list"),
    ErrorPage(
      "store-full", "The disk is full", "What was to be kept is not.", help: "make room",
      wrong: "(a full disk)", right: "tags list"),
    ErrorPage(
      "store-busy", "Another process uses the store", "It did not release the store in time.",
      help: "try once more", wrong: "(another opsh in the middle of a long write)",
      right: "tags list"),
    ErrorPage(
      "store-interrupted", "The store gave up before all was written",
      "The operation was cancelled, or ran out of time. Nothing has changed in the store.",
      help: "'retry OP' begins again", wrong: "(a cancellation while much is written)",
      right: "quotes sync"),
    ErrorPage(
      "store-failed", "The store failed", "The message is that of the database.",
      help: "try once more", wrong: "(an error of the disk)", right: "tags list"),
    ErrorPage(
      "tag-invalid", "This cannot be a tag",
      "A tag is a text of one line with at least one visible character, at most 500 characters, "
        + "and no control character, such as a tab.",
      help: "choose another text", wrong: "tags add '  '", right: "tags add swift"),
    ErrorPage(
      "tag-exists", "There is such a tag already", "Each tag is kept once.",
      help: "'tags list' lists them",
      wrong: "tags add swift\ntags add objc\ntags rename objc swift",
      right: "tags add objc\ntags rename objc swift", proof: .running),
    ErrorPage(
      "tag-unknown", "There is no such tag", "'tags list' lists them.",
      help: "'tags list' lists them", wrong: "tags remove nothing",
      right: "tags add swift\ntags remove swift", proof: .running),
    ErrorPage(
      "quote-unknown", "There is no such quote", "'quotes list' lists those that are kept.",
      help: "'quotes sync' downloads them", wrong: "quotes read zzz",
      right: "quotes sync\nwait\nquotes list", proof: .running),
    ErrorPage(
      "cache-unknown", "There is no such response in the cache", "'cache list' lists them.",
      help: "'cache list' lists them", wrong: "cache show 99999", right: "cache list",
      proof: .running),
  ]

  /// The codes of `PracticeServerError`, and those of what `serve` starts.
  package static let practiceServer: [ErrorPage] = [
    ErrorPage(
      "address-in-use", "Another program uses that port",
      "Without a port, 'server start' and 'serve' choose a free one.",
      help: "without a port, a free one is chosen",
      wrong: "(server start 8080, while another program uses it)", right: "server start"),
    ErrorPage(
      "address-unavailable", "The address is not one of this machine",
      "'serve --address' takes one address of this machine in digits, such as 192.168.1.5.",
      help: "the settings of the network, or 'ip address', show the addresses",
      wrong: "serve --address 192.0.2.1", right: "serve > /dev/null", proof: .running),
    ErrorPage(
      "permission-denied", "The port requires more privileges",
      "Ports below 1024 belong to the system.",
      help: "without a port, a free one is chosen",
      wrong: "(server start 80, as an ordinary user)", right: "server start"),
    ErrorPage(
      "socket-failed", "The system refused a socket", "The message contains the system's error.",
      help: "close other programs, and try again", wrong: "(a system without sockets)",
      right: "server start"),
    ErrorPage(
      "library-missing", "There is no library for servers",
      "The practice server and 'serve' need libmicrohttpd, which is opened on first use.",
      help: "install the package libmicrohttpd12", wrong: "(a system without libmicrohttpd)",
      right: "server start"),
    ErrorPage(
      "library-unusable", "The library for servers is too old",
      "It lacks a function that the server needs.", help: "install the package libmicrohttpd12",
      wrong: "(a system with an old libmicrohttpd)", right: "server start"),
    ErrorPage(
      "unknown-fault", "The practice server has no such fault",
      "'server faults' lists all faults.", help: "'server faults' lists them",
      wrong: "(a fault that does not exist)", right: "server faults"),
    ErrorPage(
      "bad-fault", "The fault does not take such a value",
      "Some faults take a duration, some a share of the requests; 'server faults' says which.",
      help: "'server faults' says what each takes", wrong: "server fault stall --size 3",
      right: "server fault stall --duration 3s"),
    ErrorPage(
      "bad-route", "This is not a route",
      "A route is a path such as /2.3/questions, with * for anything.",
      help: "for example '/2.3/*'", wrong: "server fault stall 50% --route questions",
      right: "server fault stall 50% --route '/2.3/*'"),
  ]
}
