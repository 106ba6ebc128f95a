/// Scripts made by chance that can be read without an error.
enum RandomScript {
  static func text(
    statements count: Int, depth: Int = 0, using generator: inout FuzzTests.Generator
  ) -> String {
    var text = ""
    for index in 0..<count {
      if index > 0 || Bool.random(using: &generator) {
        text +=
          ["\n", "\n\n", ";", " ; ", "\n\n\n", "  # c\n", "\n# own line\n"]
          .randomElement(using: &generator) ?? "\n"
      }
      text += blank(&generator) + statement(depth: depth, &generator)
    }
    return text
  }

  private static func blank(_ generator: inout FuzzTests.Generator) -> String {
    ["", " ", "\t", "  "].randomElement(using: &generator) ?? ""
  }

  private static func gap(_ generator: inout FuzzTests.Generator) -> String {
    [" ", "  ", "\t", " \\\n "].randomElement(using: &generator) ?? " "
  }

  private static func word(_ generator: inout FuzzTests.Generator) -> String {
    [
      "a", "b-1", "'x  y'", "\"c $x d\"", "$x", "$x.count", "1..3", "20%", "200ms", "--n=5", "é",
      "\"${1 + 2}\"", "a'b'c", "\"q\\\"q\"", "'#'", "a#b", "(1 + 2)", "( upper( 'a' ) )",
      "(list(1,2 , 3))", "($l[0])", "\"two\nlines\"", "\"${x}\"", "${ x }", "\"${a.b ?? \"c\"}\"",
      "( $x.y\n ?? 1 )", "$x.json", "$x..$y", "007", "1.10", "d-*", "all",
    ].randomElement(using: &generator) ?? "a"
  }

  private static func words(_ generator: inout FuzzTests.Generator) -> String {
    (0..<Int.random(in: 0...14, using: &generator)).map { _ in
      gap(&generator) + word(&generator)
    }.joined()
  }

  private static func condition(_ generator: inout FuzzTests.Generator) -> String {
    [
      "(true)", "( $x == 1 )", "($x\n and not $y)", "(a.state == finished)", "(# why\n true)",
      "((1 + 2) * 3 > -$x)", "('a)' in \"b(\" )",
    ].randomElement(using: &generator) ?? "(true)"
  }

  private static func block(_ depth: Int, _ generator: inout FuzzTests.Generator) -> String {
    let count = depth > 3 ? 0 : Int.random(in: 0...3, using: &generator)
    let body = text(statements: count, depth: depth + 1, using: &generator)
    let end = body.hasSuffix("#") || body.contains("#") ? "\n" : blank(&generator)
    let head = [" ", "\n", " # head\n", ""].randomElement(using: &generator) ?? " "
    return "{" + head + body + end + "}"
  }

  private static func statement(depth: Int, _ generator: inout FuzzTests.Generator) -> String {
    let inner = { (generator: inout FuzzTests.Generator) in block(depth, &generator) }
    switch Int.random(in: 0..<16, using: &generator) {
    case 0: return "let x =" + gap(&generator) + "5"
    case 13: return "let x =" + gap(&generator) + "!date +%s  | tr -d x"
    case 14: return "for i in 1..$x" + gap(&generator) + "all $a..9 d-*" + inner(&generator)
    case 15: return "let v =" + gap(&generator) + "1.10"
    case 1: return "let y = fetch questions" + words(&generator)
    case 2: return "if " + condition(&generator) + inner(&generator)
    case 3:
      return "if" + condition(&generator) + inner(&generator) + " else if "
        + condition(&generator) + inner(&generator) + "else " + inner(&generator)
    case 4: return "while " + condition(&generator) + " " + inner(&generator)
    case 5: return "repeat 3" + inner(&generator)
    case 6: return "for i in 1 2 $x" + gap(&generator) + inner(&generator)
    case 7: return "def f a b=2 " + inner(&generator)
    case 8: return "try " + inner(&generator) + " catch e " + inner(&generator)
    case 9: return "echo" + words(&generator) + gap(&generator) + "| sort -r > 'f g'"
    case 10: return "!ls" + words(&generator)
    case 11: return condition(&generator)
    default: return "echo" + words(&generator)
    }
  }
}
