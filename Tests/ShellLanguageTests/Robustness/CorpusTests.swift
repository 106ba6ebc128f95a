import Foundation
import TestSupport
import Testing

@testable import ShellLanguage

@Suite("Hostile inputs", .timeLimit(.minutes(15)))
struct CorpusTests {
  /// The inputs that are kept: seeds, what reached something new, and what once broke something.
  static let corpus: [(name: String, bytes: [UInt8])] = {
    let folder = URL(fileURLWithPath: PackageFolder.path + "/Tests/Corpus/language")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      (try? Data(contentsOf: folder.appendingPathComponent(name))).map { (name, Array($0)) }
    }
  }()

  @Test("No input of the corpus breaks a rule")
  func corpusHolds() {
    #expect(Self.corpus.count >= 40)
    for (name, bytes) in Self.corpus {
      let breach = FuzzTarget.breach(by: bytes)
      #expect(breach == nil, "\(name): \(breach ?? "")")
    }
  }

  @Test("No mutated input of the corpus breaks a rule", arguments: 0..<4)
  func mutantsHold(seed: UInt64) {
    var mutator = InputMutator(generator: FuzzTests.Generator(state: seed &* 7919 &+ 1))
    var pool = Self.corpus.map(\.bytes)
    guard !pool.isEmpty else { return }
    for _ in 0..<TestScale.count(250, long: 20_000) {
      let input = pool.randomElement(using: &mutator.generator) ?? []
      let other = pool.randomElement(using: &mutator.generator) ?? []
      let mutant = mutator.mutate(input, with: other)
      if let breach = FuzzTarget.breach(by: mutant) {
        Issue.record("\(breach): \(String(decoding: mutant, as: UTF8.self).debugDescription)")
        return
      }
      // Mutants of mutants go further than any one step.
      if pool.count < 400 { pool.append(mutant) }
    }
  }

  struct Hostile: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let code: String?
    let bytes: @Sendable () -> [UInt8]

    init(_ name: String, _ code: String?, _ bytes: @escaping @Sendable () -> [UInt8]) {
      testDescription = name
      self.code = code
      self.bytes = bytes
    }
  }

  static let hostile: [Hostile] = [
    Hostile("a huge word", nil) {
      Array("echo ".utf8) + [UInt8](repeating: 0x61, count: 4_000_000)
    },
    Hostile("a huge list of words", nil) {
      Array(String(repeating: "echo a b c;", count: 100_000).utf8)
    },
    Hostile("100,000 open braces", "too-deep") {
      Array(String(repeating: "repeat 1 {", count: 100_000).utf8)
    },
    Hostile("100,000 open parentheses", "too-deep") {
      Array(("echo " + String(repeating: "(", count: 100_000)).utf8)
    },
    Hostile("100,000 'not'", "too-deep") {
      Array(("(" + String(repeating: "not ", count: 100_000) + "true)").utf8)
    },
    Hostile("100,000 additions", "too-deep") {
      Array(("(1" + String(repeating: " + 1", count: 100_000) + ")").utf8)
    },
    Hostile("100,000 properties", "too-deep") {
      Array(("echo $env" + String(repeating: ".a", count: 100_000)).utf8)
    },
    Hostile("100,000 brackets", "too-deep") {
      Array(("($x" + String(repeating: "[0]", count: 100_000) + ")").utf8)
    },
    Hostile("100,000 '${'", "too-deep") {
      Array(("echo \"" + String(repeating: "${\"", count: 100_000)).utf8)
    },
    Hostile("100,000 'else if'", nil) {
      Array(("if (true) { }" + String(repeating: " else if (true) { }", count: 100_000)).utf8)
    },
    Hostile("nothing but quotes", "unclosed-quote") { [UInt8](repeating: 0x22, count: 1_000_001) },
    Hostile("nothing but backslashes", "unknown-command") {
      [UInt8](repeating: 0x5C, count: 1_000_001)
    },
    Hostile("nothing but line breaks", nil) { [UInt8](repeating: 0x0A, count: 4_000_000) },
    Hostile("a NUL byte", "nul-byte") { Array("echo a".utf8) + [0] + Array("\necho b".utf8) },
    Hostile("bytes that are no UTF-8", "invalid-utf8") { Array("echo ".utf8) + [0xC3, 0x28] },
    Hostile("half a character at the end", "invalid-utf8") { Array("echo ".utf8) + [0xE2, 0x82] },
    Hostile("a surrogate", "invalid-utf8") { [0xED, 0xA0, 0x80] },
    Hostile("more than 64 MB", "too-large") {
      [UInt8](repeating: 0x0A, count: 64_000_001)
    },
  ]

  @Test("A hostile text is accepted or refused quickly", arguments: hostile)
  func survives(_ hostile: Hostile) throws {
    let bytes = hostile.bytes()
    switch Result(catching: { () throws(Diagnostic) in
      try SourceText.decoding(bytes: bytes, name: "hostile")
    }) {
    case .failure(let diagnostic):
      #expect(diagnostic.code == hostile.code)
      #expect(diagnostic.place.line >= 1 && diagnostic.place.column >= 1)
    case .success(let source):
      let script = Parser.parse(source)
      let found = Checker.check(script, catalog: TestHost().catalog)
      if let code = hostile.code {
        #expect(found.contains { $0.code == code }, "\(found.prefix(3))")
      } else {
        #expect(found.isEmpty, "\(found.prefix(3))")
      }
      #expect(found.count < 300_000)
    }
  }

  @Test(
    "The values of a script cannot grow without bounds",
    arguments: [
      ("let t = \"ab\"\nwhile (true) { let t = \"$t$t$t$t$t$t$t$t\" }", "too-large"),
      ("let l = (list(1, 2))\nwhile (true) { let l = ($l + $l + $l + $l) }", "too-large"),
      ("let l = (list(1, 2))\nwhile (true) { let l = (list($l, $l)) }", "too-large"),
      ("let l = (list(1))\nwhile (true) { let l = (list($l)) }", "too-large"),
      ("let l = (1..1000001)", "list-too-long"),
      ("let t = \"aaaaaaaaaa\"\nwhile (true) { let t = (replace($t, \"a\", $t)) }", "too-large"),
      ("def f { f }\nf", "too-deep"), ("let p = (format(\"{:99999}\", 1))", "bad-pattern"),
    ])
  func staysBounded(_ text: String, code: String) throws {
    let outcome = run(text, checked: false)
    #expect(try #require(outcome.diagnostic).code == code)
  }
}
