import Secrets
import Testing

@Suite("Remembered secrets")
struct KnownSecretsTests {
  @Test("Long texts are hidden everywhere, middling ones as words, short ones not at all")
  func lengths() {
    let known = KnownSecrets()
    #expect(known.mask("nothing known yet") == "nothing known yet")
    known.remember(["hunter2", "longsecret1", "a", "12345", "ümläüte1"])
    #expect(
      known.mask("hunter2 (hunter2) xhunter2 hunter2-x") == "******* (*******) xhunter2 hunter2-x")
    #expect(known.mask("ylongsecret1z longsecret") == "y***********z longsecret")
    #expect(known.mask("a 12345 ümläüte1") == "a 12345 ********")
    #expect(known.occur(in: "longsecret1") && !known.occur(in: "longsecret"))
  }

  @Test("The latest are remembered, and each counts once")
  func limit() {
    let known = KnownSecrets()
    let texts = (0...KnownSecrets.limit).map { "credential-\(10_000 + $0)" }
    known.remember(texts + texts.suffix(3))
    #expect(known.generation == texts.count)
    #expect(!known.occur(in: texts[0]))
    #expect(texts.dropFirst().allSatisfy(known.occur))
  }

  @Test("A header's value is taken apart, and is known in each way of writing")
  func credentials() {
    #expect(Credentials.texts(inHeader: "Bearer abc", isCookie: false) == ["abc"])
    #expect(
      Credentials.texts(inHeader: "Basic dXNlcjpwYXNzd29yZA==", isCookie: false)
        == ["dXNlcjpwYXNzd29yZA==", "user:password", "password"])
    #expect(Credentials.texts(inHeader: "a=b; c=\"d\"", isCookie: true) == ["b", "d"])
    #expect(Credentials.written("a%20b/c") == ["a%20b/c", "a b/c", "a%20b%2Fc"])
  }
}
