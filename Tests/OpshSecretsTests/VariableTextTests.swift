import Testing

@testable import OpshSecrets

@Suite("Secrets in variables")
struct VariableTextTests {
  @Test(
    "A text of six characters is secret by the name of its variable",
    arguments: [
      ("password", "hunter2"), ("token", "select"), ("api_key", "abc-def"), ("apiKey", "abcdef"),
      ("client_secret", "123456"), ("session_token", "abcdef"), ("auth", "Bearer abc.def"),
      ("cookie", "sid=abcdef"), ("private_key", "abcdef"), ("password2", "my-password"),
    ])
  func secret(name: String, text: String) {
    #expect(VariableText.isSecret(text, of: name))
    let written = "let \(name) = '\(text)'; echo a"
    #expect(SecretText.holdsSecret(written))
    #expect(!SecretText.mask(written).contains(text))
    #expect(SecretText.mask(written).hasSuffix("'; echo a"))
    #expect(VariableText.credentials(in: text, of: name).contains(text))
  }

  @Test(
    "Other texts and other variables are not secret",
    arguments: [
      // Too short, also where the bytes are enough.
      ("password", "abcde"), ("token", "日本語"), ("api_key", ""),
      // What a variable says of a secret.
      ("password_file", "/etc/secret"), ("token_url", "https://a.example"),
      ("token_count", "123456"),
      ("auth", "digest"), ("auth", "basic:ada:env:PASSWORD"), ("cookies", "jar.txt"),
      ("password", "password"), ("SSH_AUTH_SOCK", "/tmp/agent.1"),
      // Ordinary names.
      ("key", "title-of"), ("session", "lesson-1"), ("name", "hunter22"), ("page_token", "abcdef"),
      ("keyboard", "qwertz"), ("author", "Ada Lovelace"),
    ])
  func plain(name: String, text: String) {
    #expect(!VariableText.isSecret(text, of: name))
    #expect(VariableText.credentials(in: text, of: name) == [])
    let written = "let \(name) = \"\(text)\"; echo a"
    #expect(SecretText.mask(written) == written)
  }

  @Test(
    "What a variable gets is masked in its statement",
    arguments: [
      ("let password = \"a \\\" bcd\" # x", "let password = \"********\" # x"),
      ("let token='abcdef'", "let token='******'"),
      ("let  token \\\n = 'abcdef'", "let  token \\\n = '******'"),
      ("let token = ($env.TOKEN ?? 'abcdef')", "let token = ($env.TOKEN ?? '******')"),
      ("let token = (\"abcdef\" + $x + 'ghijkl')", "let token = (\"******\" + $x + '******')"),
      // Names of members and arguments of functions are not what the variable gets.
      ("let token = ($r[\"access_token\"])", "let token = ($r[\"access_token\"])"),
      ("let token = (upper('abcdef'))", "let token = (upper('abcdef'))"),
      ("let token = $other; echo 'abcdef'", "let token = $other; echo 'abcdef'"),
      ("let token = 12345678", "let token = 12345678"),
      ("let token = fetch questions", "let token = fetch questions"),
      ("let token = !pass show 'abcdef'", "let token = !pass show 'abcdef'"),
      // Mistakes: without 'let', and in the head of a definition.
      ("token = 'abcdef'", "token = '******'"),
      ("def f token = 'abcdef' { }", "def f token = '******' { }"),
      ("(x.token == 'abcdef')", "(x.token == 'abcdef')"), ("key = 'abcdef'", "key = 'abcdef'"),
      ("let token == 'abcdef'", "let token == 'abcdef'"), ("let token", "let token"),
    ])
  func statements(text: String, masked: String) {
    #expect(SecretText.mask(text) == masked)
  }

  @Test(
    "A key that begins with 'sk-' is secret wherever it stands",
    arguments: [
      ("echo sk-abcdefgh12345678 x", "echo ******************* x"),
      ("sk_live_4eC39HqLyjWDar", "**********************"),
      ("'X: sk-proj-Ab_9-zyxwvu'.", "'X: *******************'."),
      ("k=sk-abcdefghijklmno1,", "k=*******************,"),
      ("{\"a\":\"sk-abcdefghijklmno1\"}", "{\"a\":\"*******************\"}"),
      // Names, words and locales.
      ("sk-1 sk-SK sk-learn", "sk-1 sk-SK sk-learn"),
      ("sk-learn-tutorial sk_buff_alloc", "sk-learn-tutorial sk_buff_alloc"),
      ("sk-worker-one sk-worker-12345678", "sk-worker-one sk-worker-12345678"),
      ("sk-learn-tutorials-and-more", "sk-learn-tutorials-and-more"),
      ("task-abcdefgh12345678", "task-abcdefgh12345678"),
      (
        "disk_abcdefgh12345678 risk-abcdefgh12345678",
        "disk_abcdefgh12345678 risk-abcdefgh12345678"
      ),
      ("sk-", "sk-"), ("sk", "sk"),
    ])
  func keys(text: String, masked: String) {
    #expect(SecretText.mask(text) == masked)
    #expect(VariableText.keys(in: text).isEmpty == (text == masked))
  }

  @Test("Each line of a secret of several lines is known")
  func lines() {
    let text = "-----BEGIN\nabcdefgh\n"
    #expect(VariableText.credentials(in: text, of: "private_key").contains("abcdefgh"))
  }

  @Test("Of 'Bearer X' in a variable, X is known too")
  func schemes() {
    let found = VariableText.credentials(in: "Bearer abcdef.1", of: "auth")
    #expect(found.contains("abcdef.1"))
    #expect(!VariableText.credentials(in: "correct battery", of: "password").contains("battery"))
  }
}
