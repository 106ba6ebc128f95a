import Testing

@testable import ShellLanguage

@Suite("Names that a script makes")
struct DeclaredNamesTests {
  private func names(_ made: CreatedName.Extent..., isRepeated: Bool = false) -> DeclaredNames {
    var names = DeclaredNames()
    for name in made { names.insert(name, isRepeated: isRepeated) }
    return names
  }

  @Test("Numbered names go up to the sum of their counts")
  func counts() {
    let names = names(.numbered("delay", count: 2), .numbered("delay", count: 3))
    #expect((0...7).filter { names.contains("delay-\($0)") } == [1, 2, 3, 4, 5])
    #expect(!names.contains("delay") && !names.contains("delay-x") && !names.contains("get-1"))
  }

  @Test("Numbered names skip explicit names, so they can go further")
  func skipsGivenNames() {
    let names = names(.exact("delay-2"), .exact("delay-x"), .numbered("delay", count: 1))
    #expect((1...4).filter { names.contains("delay-\($0)") } == [1, 2, 3])
  }

  @Test("Numbered names in a loop or beyond the largest number are unlimited")
  func countsWithoutEnd() {
    #expect(names(.numbered("a", count: 1), isRepeated: true).contains("a-\(Int.max)"))
    let twice = names(.numbered("a", count: .max), .numbered("a", count: .max))
    #expect(twice.contains("a-\(Int.max)"))
  }

  @Test("An exact name matches only itself, an unknown one matches any name")
  func exactAndUnknown() {
    #expect(names(.exact("a-b")).contains("a-b"))
    #expect(!names(.exact("a-b")).contains("a-c"))
    #expect(names(.anything).contains("whatever"))
  }

  @Test("A name cannot be used before it is created, unless the use can run later")
  func order() {
    func isPossible(
      isDeferred: Bool = false, isRepeated: Bool = false, inBody: Bool = false, madeIn: Int = 1
    ) -> Bool {
      let known = ScriptFacts(
        ScriptFacts.Setting(catalog: TestHost().catalog, facts: nil, names: .all),
        words: WordMeanings(definitions: [], aliases: [:], in: TestHost().catalog))
      func place(_ statement: Int) -> Place {
        Place(in: SourceText(name: "test", text: ""), VariableScope(), known: known).with {
          $0.statement = statement
        }
      }
      var symbols = SymbolTable()
      symbols.use(
        SymbolTable.Use(
          namespaces: ["operation"], name: "a", range: SourceRange(0, 0),
          place: place(1).with { $0.isRepeated = isRepeated }, isQuestion: false,
          isDeferred: isDeferred))
      symbols.make(
        SymbolTable.Declaration(
          namespace: "operation", name: .exact("a"),
          place: place(madeIn).with { $0.definition = inBody ? "f" : nil }))
      return symbols.impossible(existing: [:]).isEmpty
    }
    #expect(!isPossible())
    #expect(isPossible(isDeferred: true))
    #expect(isPossible(isRepeated: true))
    #expect(!isPossible(isRepeated: true, madeIn: 2), "the loop has ended")
    #expect(isPossible(inBody: true), "a definition can be called before")
    #expect(!isPossible(inBody: true, madeIn: 2), "it is defined later")
  }
}
