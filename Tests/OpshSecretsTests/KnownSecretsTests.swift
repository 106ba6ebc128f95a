import Testing

@testable import OpshSecrets

@Suite("Known secrets")
struct KnownSecretsTests {
  @Test("Long secrets are masked everywhere, medium ones as words, short ones never")
  func lengths() {
    let known = KnownSecrets()
    #expect(known.mask("nothing known yet") == "nothing known yet")
    known.remember(["hunter2", "longsecret1", "a", "12345", "ümläüte1"])
    #expect(
      known.mask("hunter2 (hunter2) xhunter2 hunter2-x") == "******* (*******) xhunter2 hunter2-x")
    #expect(known.mask("ylongsecret1z longsecret") == "y***********z longsecret")
    #expect(known.mask("a 12345 ümläüte1") == "a 12345 ********")
    known.remember(["1234567", "87654321"])
    #expect(known.mask("x1234567 x87654321x") == "x1234567 x********x")
    #expect(known.occur(in: "longsecret1") && !known.occur(in: "longsecret"))
  }

  @Test(
    "Of a secret that was cut, what is before the ellipsis is masked",
    arguments: [
      ("found 'abcdefghijkl…'", "found '************…'"),
      ("q=abcdefghijkl... ok", "q=************... ok"),
      ("abcdefg…", "*******…"), ("abcde…", "abcde…"), ("abcdeX…", "abcdeX…"),
      ("abcdefghij", "abcdefghij"),
      ("ümläütß…", "*******…"), ("abcdefghijklmnop…", "****************…"),
    ])
  func cut(text: String, masked: String) {
    let known = KnownSecrets()
    known.remember(["abcdefghijklmnop", "ümläütß→x"])
    #expect(known.mask(text) == masked)
  }

  @Test("A secret is known as it is written in forms and in texts of JSON")
  func written() {
    #expect(Credentials.written("plain") == ["plain"])
    #expect(
      Credentials.written("pass word12") == ["pass word12", "pass%20word12", "pass+word12"])
    #expect(Credentials.written("p\"a\\b").contains(#"p\"a\\b"#))
  }

  @Test("The latest secrets are known, each once")
  func limit() {
    let known = KnownSecrets()
    let texts = (0...KnownSecrets.limit).map { "credential-\(10_000 + $0)" }
    known.remember(texts + texts.suffix(3))
    #expect(known.generation == texts.count)
    #expect(!known.occur(in: texts[0]))
    #expect(texts.dropFirst().allSatisfy(known.occur))
  }

  @Test("A removed secret is not masked any more")
  func forgotten() {
    let known = KnownSecrets()
    for number in 0..<3 * KnownSecrets.limit { known.remember(["\(number + 1000)-credential"]) }
    #expect(known.startCount == KnownSecrets.limit)
  }

  @Test("A secret that overlaps another one is masked to its end")
  func overlap() {
    let known = KnownSecrets()
    known.remember(["first-secret-abcd", "abcd-second-secret", "secret"])
    #expect(
      known.mask("x first-secret-abcd-second-secret y")
        == "x " + String(repeating: "*", count: 31) + " y")
    #expect(known.mask("first-secret-abcd") == String(repeating: "*", count: 17))
    #expect(known.mask("firstsecret secret") == "firstsecret ******")
  }

  @Test("A header's value is split, and each part is known in every encoding")
  func credentials() {
    #expect(Credentials.texts(inHeader: "Bearer abc", isCookie: false) == ["abc"])
    #expect(
      Credentials.texts(inHeader: "Basic dXNlcjpwYXNzd29yZA==", isCookie: false)
        == ["dXNlcjpwYXNzd29yZA==", "user:password", "password"])
    #expect(Credentials.texts(inHeader: "a=b; c=\"d\"", isCookie: true) == ["b", "d"])
    // `-u KEY:`.
    #expect(
      Credentials.texts(inHeader: "Basic S0VZS0VZOg==", isCookie: false)
        == ["S0VZS0VZOg==", "KEYKEY:", "KEYKEY"])
    #expect(
      Credentials.texts(inHeader: "correct ab", isCookie: false)
        == ["correct ab", "correct%20ab", "correct+ab", "ab"])
    #expect(Credentials.texts(inHeader: "one two three", isCookie: false).first == "one two three")
    #expect(Credentials.written("a%20b/c") == ["a%20b/c", "a b/c", "a%20b%2Fc", "a+b%2Fc"])
  }

  @Test("Common words of output are not added")
  func ordinary() {
    let known = KnownSecrets { $0 == "finished" }
    known.remember(["finished", "s3cr3t-a"])
    #expect(known.mask("finished s3cr3t-a") == "finished ********")
  }
}
