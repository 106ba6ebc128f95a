import Testing

@testable import OpshNetworking

@Suite("Credentials in requests")
struct RequestCredentialTests {
  @Test("All values below a secret name in a body are credentials")
  func credentials() throws {
    var request = try HTTPRequest(method: "POST", url: "http://a/")
    request.body = .bytes(
      Array(
        #"""
        {"token":["abcdefgh",12345678],"user":"me","note":{"apiKey":7},
        "password":{"current":"hunter22","rest":[{"x":1.25,"y":true,"z":1e400}]}}
        """#.utf8))
    #expect(
      request.credentials(adding: HTTPHeaders())
        == ["abcdefgh", "12345678", "7", "hunter22", "1.25", "1e400"])
  }

  @Test("A plus sign in a form is a space of the credential, as a server reads it")
  func form() throws {
    var request = try HTTPRequest(method: "POST", url: "http://a/")
    request.body = .bytes(Array("user=me&password=open+sesame".utf8))
    #expect(request.credentials(adding: HTTPHeaders()).contains("open sesame"))
  }
}
