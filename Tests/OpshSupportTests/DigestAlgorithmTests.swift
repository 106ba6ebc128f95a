import Testing

@testable import OpshSupport

@Suite("Digest authentication")
struct DigestAlgorithmTests {
  @Test(
    "MD5 matches the test suite of RFC 1321",
    arguments: [
      ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
      ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
      (
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "57edf4a22be3c955ac49da2e2107b67a"
      ),
    ])
  func md5(text: String, expected: String) {
    #expect(DigestAlgorithm.md5.hash(text) == expected)
  }

  @Test(
    "Responses match the example of RFC 7616, 3.9.1, and what Python computes for sessions",
    arguments: [
      (DigestAlgorithm.md5Session, "e783283f46242139c486a698fec7211d"),
      (.sha256Session, "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
      (.md5, "8ca523f5e9506fed4657c9700eebdbec"),
      (.sha256, "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
  func example(algorithm: DigestAlgorithm, expected: String) {
    let response = algorithm.response(
      user: "Mufasa", password: "Circle of Life", realm: "http-auth@example.org",
      request: ("GET", "/dir/index.html"),
      nonces: .init(
        nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
        client: ("f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "00000001")))
    #expect(response == expected)
  }

  @Test(
    "Responses that cover the body match what Python computes",
    arguments: [
      (DigestAlgorithm.md5, "68d56e468e178b7213d3e8d4bf0b5156"),
      (.md5Session, "b97e20f14f16076bebac8a544bbb4790"),
      (.sha256, "f9e2ac6c3d75596bc6f919fbb0ebbc57557012c295dc251a98fef1a4837c645e"),
      (.sha256Session, "1b43cee0a9555b472c9bb168d76df4753e44a7c44a3e7119c41c21f8ba49a2f8"),
    ])
  func integrity(algorithm: DigestAlgorithm, expected: String) {
    let response = algorithm.response(
      user: "Mufasa", password: "Circle of Life", realm: "http-auth@example.org",
      request: ("POST", "/dir/index.html"),
      nonces: .init(
        nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
        client: ("f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "00000001")),
      body: Array("café".utf8) + [0, 255])
    #expect(response == expected)
  }

  @Test("A response without qop matches the example of RFC 2069")
  func withoutQuality() {
    // With the correction of its erratum 749.
    let response = DigestAlgorithm.md5.response(
      user: "Mufasa", password: "CircleOfLife", realm: "testrealm@host.com",
      request: ("GET", "/dir/index.html"),
      nonces: .init(nonce: "dcd98b7102dd2f0e8b11d0f600bfb0c093", client: nil))
    #expect(response == "1949323746fe6a43ef61f9606e7febea")
  }

  @Test("Several challenges are read, in one header or in several")
  func challenges() {
    let fields = AuthenticationField.all(in: [
      #"Basic realm="a, \"b\"", Digest nonce=x,QOP = "auth", nonce=y , Negotiate, Bearer"#,
      "NTLM YWJj==", "broken=",
    ])
    #expect(fields.map(\.scheme) == ["basic", "digest", "negotiate", "bearer", "ntlm"])
    #expect(fields[0].parameters == ["realm": #"a, "b""#])
    #expect(fields[1].parameters == ["nonce": "x", "qop": "auth"])
    #expect(fields[4].token == "YWJj==")
    for broken in ["", ",", "=", "a=b", #"Basic realm="open"#, "Basic realm=", "\u{1}"] {
      #expect(
        AuthenticationField.all(in: [broken]).allSatisfy { $0.parameters.isEmpty }, "\(broken)")
    }
  }
}
