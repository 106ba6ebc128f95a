import OpshSecrets
import Testing

@Suite("Secrets in text")
struct SecretTextTests {
  @Test(
    "Secrets are detected by name and by shape",
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
      // Values with several parts in JSON.
      (#"{"token":["abcdefgh", 12, "x"],"n":1}"#, #"{"token":["********", **, "*"],"n":1}"#),
      (
        #"{"password":{"current":"hunter22","new":"a]}b"},"user":"me"}"#,
        #"{"password":{"current":"********","new":"****"},"user":"me"}"#
      ),
      (
        #""{\"secret\":{\"a\":[\"b\",{\"c\":-1.5}]},\"n\":[1]}""#,
        #""{\"secret\":{\"a\":[\"*\",{\"c\":****}]},\"n\":[1]}""#
      ),
      ("{\"password\" :\n\t\"x\"}", "{\"password\" :\n\t\"*\"}"),
      (#"{"token":["a","b"#, #"{"token":["*","*"#),
      // A header that is one word of a command line.
      ("get /x --header X-Api-Key:abc --name foo", "get /x --header X-Api-Key:*** --name foo"),
      ("get /x --header X-Api-Key:abc\techo", "get /x --header X-Api-Key:***\techo"),
      ("Authorization:Bearer abc", "Authorization:**********"),
      ("Cookie:a=b; c=d x", "Cookie:******** x"),
      ("X-Api-Key: a b\r\nHost: x", "X-Api-Key: ***\r\nHost: x"),
      // Options after a line break or a tab, and values after either.
      ("fetch questions \\\n--key SECRET99", "fetch questions \\\n--key ********"),
      ("fetch\t--key\tSECRET", "fetch\t--key\t******"), ("x\n-u\ta:b", "x\n-u\t***"),
      ("fetch --key \\\n  SECRET", "fetch --key \\\n  ******"),
      ("echo '--key SECRET'", "echo '--key ******'"),
      ("--header 'Token: abc'", "--header 'Token: ***'"), ("Token:abc", "Token:***"),
      ("https://ghp_a1@github.com/", "https://******@github.com/"),
      ("'Basic QWxhZGRpbg=='", "'Basic ************'"),
      // A password may contain characters that end a word elsewhere.
      ("https://me:p,w;(@host/x", "https://********@host/x"),
      ("see a@b, https://a@b@c/", "see a@b, https://***@c/"),
      // A secret in the place of where it is.
      ("get /auth/basic --auth basic:me:pw", "get /auth/basic --auth ***********"),
      ("get / --auth bearer:env", "get / --auth **********"),
      ("x --cookies a=b", "x --cookies ***"),
      // An address in another one, also encoded twice.
      ("/a?next=/x?token=SECRET&b=1", "/a?next=/x?token=******&b=1"),
      ("/a?next=%2Fx%3Ftoken%3DSECRET&b=1", "/a?next=*********************&b=1"),
      ("/a?next=%252Fx%253Ftoken%253DSECRET b", "/a?next=*************************** b"),
      ("Location: /x?access_token=SECRET", "Location: /x?access_token=******"),
    ])
  func found(text: String, masked: String) {
    #expect(SecretText.mask(text) == masked)
    #expect(SecretText.holdsSecret(text))
    #expect(SecretText.mask(masked) == masked)
  }

  @Test(
    "Text that is not secret stays unchanged",
    arguments: [
      "get '/?site=x&page_token=2&tagged=keyboard'",
      "--header 'WWW-Authenticate: Basic realm=\"x\"'",
      "Surrogate-Key: abc", "a Bearer token is missing", "unexpected token: 'x'", "key: value",
      "get /auth/basic --auth basic:me:env:PW --name a", "--auth digest:me@b.example:file:/pw",
      "--auth=bearer:env:TOKEN; wait", "--auth 'bearer:file:/a b'", "--cookies jar --cookie-jar b",
      "write: --auth basic:USER:env:NAME, --auth bearer:env:NAME", "sort -u a",
      "mailto:bob@example.org", "git@github.com:a/b", "endpoint [--key KEY]",
      "--header \"Authorization: Bearer $env.TOKEN\"", "--body \"password=${pw}\"", "12:30", "",
      "'--key' is an option", "a = b", "(x.code == 200)", "--key\nlater", "{\"token\": null}",
      "{\"password\":[\"$old\",\"${new}\"]}", "read-only - a list", "curl --user me x",
      // Prose, styles and user names.
      "echo \"Basic example of a queue\"", "fail 'Basic checks failed'", "echo \"Basic group\"",
      "\"Bearer tokens are explained here\"", ".key:hover { color: red }", "event key:down",
      "\"token: a word of a language\"", "\"cookie: a small cake\"", "ssh://git@github.com/a",
      "postgres://postgres@localhost:5432/postgres", "{\"password_length\": 12}",
      "/a?next=%2Fx%3Fpage_token%3D2&filter=a%3D1", "/a?next=%3D&b=%253D",
    ])
  func notFound(text: String) {
    #expect(SecretText.mask(text) == text)
    #expect(!SecretText.holdsSecret(text))
  }

  @Test("Every prefix of a text is searched without a trap")
  func beginnings() {
    let text =
      #"-u a:b --key 'x' "{\"token\":\"ab" http://u:p@[::1]/?key=%6 Bearer "# + "é👩‍👩‍👧 Basic ="
    for count in 0...text.count {
      let part = String(text.prefix(count))
      #expect(SecretText.mask(part).count == part.count)
    }
  }

  @Test(
    "Masking takes time linear in the length of a text",
    .timeLimit(.minutes(1)),
    arguments: [
      "a@a", "a:a@", "://$a@a", "key=", "&key=$", "key=${", "--user=", "--key=", "-u=", "-ua:",
      "x-key:a", "'x-key:", "\"key\":", "\"key\":[", "\"key\":{\"key\":", "{\"key\":[\\\"",
      "bearer ", "bearer a", "key:", "cookie:", "'cookie: ", "--key ", "--key=]", "a=b&key=c ",
      "a=%3D", "a=%253D&", "a=%25",
    ])
  func linear(part: String) {
    // Searching the rest of the text for each part would take many minutes.
    for end in ["", "]"] {
      let text = String(repeating: part, count: 100_000 / part.count) + end
      #expect(SecretText.mask(text).count == text.count)
    }
  }

  @Test("Credentials in a command line are known with their parts")
  func credentials() {
    #expect(
      SecretText.credentials(in: "curl -u me:secret x") == ["me:secret", "me%3Asecret", "secret"])
    #expect(SecretText.credentials(in: "curl -H 'Authorization: Bearer abc' x") == ["abc"])
    #expect(SecretText.credentials(in: "curl https://host/").isEmpty)
    let nested = SecretText.credentials(in: "get /a?next=%2Fx%3Ftoken%3DSECRET")
    #expect(nested.contains("SECRET") && nested.contains("%2Fx%3Ftoken%3DSECRET"))
  }
}
