import Secrets
import Testing

@Suite("Secrets in text")
struct SecretTextTests {
  @Test(
    "Secrets are found by name and by shape",
    arguments: [
      ("--header 'Authorization: Bearer abc.def' x", "--header 'Authorization: **************' x"),
      ("--header 'Cookie: a=\"b c\"' x", "--header 'Cookie: *******' x"),
      ("--header X-Auth-Foo:abc", "--header X-Auth-Foo:***"),
      ("endpoint practice --key SECRET", "endpoint practice --key ******"),
      ("--api-key=SECRET x", "--api-key=****** x"), ("--token 'a b' x", "--token '***' x"),
      ("get '/?key=abc&site=x&code=US'", "get '/?key=***&site=x&code=**'"),
      ("/?%6Bey=abc&refresh_token=d&sig=e&jwt=f", "/?%6Bey=***&refresh_token=*&sig=*&jwt=*"),
      ("--body 'password=a b&user=me'", "--body 'password=***&user=me'"),
      (
        #"--json '{"password":"x \" y","Keyboard":"q","apiKey": 12}'"#,
        #"--json '{"password":"******","Keyboard":"q","apiKey": **}'"#
      ),
      (#""{\"token\":\"ab\",\"n\":1}""#, #""{\"token\":\"**\",\"n\":1}""#),
      ("let a = 'Bearer abcdef'", "let a = 'Bearer ******'"),
      ("it sent Basic dXNlcjpwYXNz now", "it sent Basic ************ now"),
      ("curl https://me:pw@host/x", "curl https://*****@host/x"),
      ("connect me:pw@host", "connect *****@host"), ("curl -u me:pw x", "curl -u ***** x"),
      ("curl -ume:pw x", "curl -u***** x"), ("curl --user me:pw x", "curl --user ***** x"),
    ])
  func found(text: String, masked: String) {
    #expect(SecretText.mask(text) == masked)
    #expect(SecretText.holdsSecret(text))
    #expect(SecretText.mask(masked) == masked)
  }

  @Test(
    "What is no secret stays",
    arguments: [
      "get '/?site=x&page_token=2&tagged=keyboard'",
      "--header 'WWW-Authenticate: Basic realm=\"x\"'",
      "Surrogate-Key: abc", "a Bearer token is missing", "unexpected token: 'x'", "key: value",
      "sort -u a", "mailto:bob@example.org", "git@github.com:a/b", "endpoint [--key KEY]",
      "--header \"Authorization: Bearer $env.TOKEN\"", "--body \"password=${pw}\"", "12:30", "",
      "'--key' is an option", "a = b", "(x.code == 200)",
    ])
  func notFound(text: String) {
    #expect(SecretText.mask(text) == text)
    #expect(!SecretText.holdsSecret(text))
  }

  @Test("Any beginning of a text is searched without a trap")
  func beginnings() {
    let text =
      #"-u a:b --key 'x' "{\"token\":\"ab" http://u:p@[::1]/?key=%6 Bearer "# + "é👩‍👩‍👧 Basic ="
    for count in 0...text.count {
      let part = String(text.prefix(count))
      #expect(SecretText.mask(part).count == part.count)
    }
  }
}
