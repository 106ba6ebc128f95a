import Dispatch
import Testing

@testable import ShellLanguage

@Suite("Lists and texts that grow, and the scopes of loops")
struct GrowingTests {
  typealias Example = TextAndNullTests.Example

  @Test("Appending changes the variable and no other value", arguments: examples)
  func appends(_ example: Example) {
    let outcome = run(example.text, checked: false)
    #expect(outcome.lines == example.lines)
    #expect(outcome.diagnostic == nil, "\(String(describing: outcome.diagnostic))")
  }

  static let examples: [Example] = [
    Example(
      "let a = (list(1)); let b = $a; let a = ($a + list(2)); let b = ($b + list(3, 4)); echo $a; echo $b",
      "1 2", "1 3 4"),
    Example(
      "let t = 'a'; let u = $t; let t = \"${t}b\"; let u = \"$u-c\"; let t = ($t + 'd'); echo $t $u",
      "abd a-c"),
    Example("let l = (list(1, 2)); let l = ($l + $l); let l = ($l + $l); echo $l.count", "8"),
    Example("let t = 'ab'; let t = \"$t$t\"; let t = ($t + $t); echo $t", "abababab"),
    Example("let n = 1; let n = ($n + 2); let n = \"$n!\"; echo $n", "3!"),
    Example("let l = (list(1)); let t = \"$l,\"; let l = \"$l;\"; echo $t $l", "1, 1;"),
    Example("let e = (list(1)); let l = (list($e)); let e = ($e + list(2)); echo $l[0].count", "1"),
    // In a 'def' a new variable begins with the value further out.
    Example(
      "let l = (list(1)); def f { let l = ($l + list(2)); let l = ($l + list(3)); return $l }; let m = f; echo $m; echo $l",
      "1 2 3", "1"),
    Example(
      "def f l { let l = ($l + list(9)); return $l }; let a = (list(1)); let b = f $a; echo $a; echo $b",
      "1", "1 9"),
    Example("let l = (list()); for i in 1..3 { let l = ($l + list($i)) }; echo $l", "1 2 3"),
    Example(
      "let l = (list()); for i in 1..2 { block { echo $l.count }; let l = ($l + list($i)) }; echo $l.count",
      "0", "1", "2"),
    Example(
      "let l = (list(1)); on q finished { echo $l }; let l = ($l + list(2)); fire", "1 2"),
    Example(
      "let l = (list(1)); try { let l = ($l + 5) } catch e { echo $e.code }; echo $l",
      "type-mismatch", "1"),
    Example(
      "let t = 'a'; let p = null; try { let t = \"$t$p\" } catch e { echo $e.code }; echo $t",
      "no-value", "a"),
    Example("try { let x = ($x + list(1)) } catch e { echo $e.code }", "undefined-variable"),
    Example(
      "let l = (list(1)); block { try { let l = ($l + list(2)) } catch e { echo $e.code }; echo $l }; echo $l",
      "captured-variable", "1", "1"),
    // The variables of one turn are not there in the next one, unless something keeps them.
    Example(
      "for i in 1..2 { try { echo $own } catch e { echo $e.code }; let own = $i }",
      "undefined-variable", "undefined-variable"),
    Example(
      "for i in 1..3 { let j = ($i * 2); on q finished { echo $i $j } }; fire", "1 2", "2 4", "3 6"),
    Example(
      "repeat 2 { let n = 0; on q finished { let n = ($n + 1); echo $n } }; fire; fire",
      "1", "1", "2", "2"),
    Example(
      "for i in 1..2 { repeat 2 { let own = $i; on q finished { echo $own } } }; fire", "1", "1",
      "2", "2"),
    Example(
      (1...20).map { "let v\($0) = \($0)" }.joined(separator: "; ")
        + "; let v3 = 33; def f { let v3 = 1; return $v20 }; let r = f; echo $v1 $v3 $v9 $v20 $r",
      "1 33 9 20 20"),
  ]

  @Test("A host is told what is new of a list, and all of a short text")
  func binds() {
    let host = TestHost()
    _ = run(
      "let l = (list(1, 2)); let l = ($l + list(3)); let t = 'ab'; let t = ($t + 'c')", host: host,
      checked: false)
    #expect(host.bound == ["l = 1 2", "l = 3", "t = ab", "t = abc"])
  }

  @Test("A host is told the end of a long text")
  func bindsEnd() throws {
    let host = TestHost()
    let long = String(repeating: "é", count: 20_000)
    let outcome = run(
      "let t = '\(long)'; let t = ($t + 'new'); echo (length($t))", host: host, checked: false)
    #expect(outcome.lines == ["20003"])
    let last = try #require(host.bound.last)
    #expect(last.hasSuffix("ééénew") && last.utf8.count < 5000)
  }

  @Test("A list that grows by itself is refused where it would be too large")
  func refuses() {
    let outcome = run(
      "let l = (1..600000); let k = $l; try { let l = ($l + $l) } catch e { echo $e.code }; echo $l.count; let l = ($l + (1..400000)); try { let l = ($l + list(1)) } catch e { echo $e.code }; echo $l.count $k.count",
      checked: false)
    #expect(outcome.lines == ["too-large", "600000", "too-large", "1000000 600000"])
  }

  @Test("A shared scope is used by several threads at once")
  func shares() {
    let outer = Scope()
    let scope = Scope(parent: outer)
    let (sum, own) = (Symbol("sum"), (0..<4).map { Symbol("own\($0)") })
    outer.define(sum, .integer(0))
    scope.share()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for turn in 1...500 {
        scope.define(own[thread], .integer(Int64(turn)))
        _ = scope.change(sum) { value, _ in
          if case .integer(let number) = value { value = .integer(number + 1) }
        }
        _ = scope.visible()
      }
    }
    #expect(scope.value(of: sum)?.text == "2000")
    #expect(own.allSatisfy { scope.value(of: $0)?.text == "500" })
  }
}
