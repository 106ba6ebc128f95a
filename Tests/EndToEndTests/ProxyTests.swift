import PracticeServer
import TestSupport
import Testing

@Suite("Proxies from the environment", .timeLimit(.minutes(15)))
struct ProxyTests {
  private static let answer =
    "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nproxied"

  @Test("A request uses the proxy of the environment")
  func proxy() throws {
    let proxy = try CannedServer(Self.answer)
    let outcome = try Opsh.run(
      ["-c", "get http://somewhere.invalid/x; wait; result last"],
      environment: ["http_proxy": proxy.url])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "proxied")
  }

  @Test("A request through a proxy is shown as it was sent")
  func shown() throws {
    let proxy = try CannedServer(Self.answer.replacing("HTTP/1.1", with: "HTTP/1.0"))
    let outcome = try Opsh.run(
      ["-c", "get http://somewhere.invalid/x; wait; show last --verbose"],
      environment: ["http_proxy": proxy.url])
    #expect(
      outcome.output.contains("> GET http://somewhere.invalid/x HTTP/1.1"), "\(outcome.output)")
    #expect(outcome.output.contains("> Proxy-Connection: Keep-Alive"))
    #expect(outcome.output.contains("< HTTP/1.0 200 OK"))
  }

  @Test("no_proxy excludes a host, and requests to this machine never use a proxy")
  func exceptions() throws {
    let proxy = try CannedServer(Self.answer)
    let left = try Opsh.run(
      ["-c", "get http://somewhere.invalid/x --timeout 20s; wait"],
      environment: ["http_proxy": proxy.url, "no_proxy": "somewhere.invalid"])
    #expect(left.errors.contains("host-not-found"), "\(left.errors)")
    let local = try Opsh.run(
      ["-c", "get '/2.3/info?site=stackoverflow'; wait; result last"],
      environment: ["http_proxy": proxy.url, "HTTP_PROXY": proxy.url, "all_proxy": proxy.url])
    #expect(local.status == 0, "\(local.errors)")
    #expect(!local.output.contains("proxied") && local.output.contains("items"))
  }

  @Test(
    "A proxy that asks for credentials is named, with what to do", arguments: ["http", "https"])
  func credentials(scheme: String) throws {
    let proxy = try CannedServer(
      "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 5\r\n"
        + "Connection: close\r\n\r\nlogin")
    let outcome = try Opsh.run(
      ["-c", "get \(scheme)://somewhere.invalid/x; wait --any-outcome; result last; wait last"],
      environment: ["\(scheme)_proxy": proxy.url])
    #expect(
      outcome.errors.contains(
        "the proxy '\(proxy.url)' answered with status 407: it asks for a name and a password"),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("help: write NAME:PASSWORD@ before the host in the variable"))
    // The answer to CONNECT is not kept.
    if scheme == "http" { #expect(outcome.output.hasSuffix("\nlogin"), "\(outcome.output)") }
    let page = try Opsh.run(["explain", "proxy-credentials"])
    #expect(page.output.contains("The proxy asks for a name and a password"))
  }

  @Test("Status 407 of a server itself is the server's")
  func statusOfServer() throws {
    let outcome = try Opsh.run(
      ["-c", "server fault status-407; get /2.3/info; wait"],
      environment: ["http_proxy": "http://127.0.0.1:1"])
    #expect(outcome.errors.contains("the server answered with status 407"), "\(outcome.errors)")
  }

  @Test("A proxy that rejects a tunnel is an error with its reason")
  func refused() throws {
    let proxy = try CannedServer(
      "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
    let outcome = try Opsh.run(
      ["-c", "get https://somewhere.invalid/x; wait"], environment: ["https_proxy": proxy.url])
    #expect(outcome.errors.contains("invalid-status-code(407)"), "\(outcome.errors)")
    #expect(outcome.errors.contains("the proxy '\(proxy.url)' answered with status 407"))
  }

  @Test(
    "A secure request uses a tunnel, whose proxy sees neither address nor response",
    .enabled(if: TestIdentity.canServe, TestIdentity.skipReason))
  func tunnel() throws {
    let server = PracticeServer(identity: TestIdentity.identity)
    try server.start()
    defer { server.stop() }
    let proxy = try TunnelProxy(to: try #require(server.port))
    let folder = try TemporaryFolder()
    let bundle = try folder.write(TestIdentity.certificate, to: "certificates.pem")
    let outcome = try Opsh.run(
      [
        "-c",
        """
        endpoint https://service.opsh.invalid --key SECRET
        fetch questions --pagesize 4; get '/2.3/info?site=stackoverflow' --retry 1; wait
        expect (questions-1.items == 4)
        get https://other.opsh.invalid/ --name other; wait --any-outcome
        expect (other.error.code == tls)
        """,
      ], environment: ["https_proxy": proxy.url, "SSL_CERT_FILE": bundle])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(server.statistics.requests == 2)
    let asked = proxy.requests.joined()
    #expect(asked.contains("CONNECT service.opsh.invalid:443 HTTP/1.1\r\n"))
    #expect(!asked.contains("SECRET") && !asked.contains("questions"))
  }

  @Test("A proxy that is not running is an error, and the request does not bypass it")
  func dead() throws {
    let outcome = try Opsh.run(
      ["-c", "get http://somewhere.invalid/x; wait"],
      environment: ["http_proxy": "http://127.0.0.1:1"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("connection-refused"), "\(outcome.errors)")
  }
}
