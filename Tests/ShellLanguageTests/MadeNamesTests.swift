import Testing

@testable import ShellLanguage

@Suite("The names that a script makes")
struct MadeNamesTests {
  typealias Maker = (name: HostFacts.MadeName, statement: Int, isRepeated: Bool)

  /// What going through all makers one by one says.
  private func isPossible(
    _ name: String, _ makers: [Maker], _ moment: MadeNames.Moment?
  ) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    let word = parts.dropLast().joined(separator: "-")
    let number = parts.count > 1 ? Int(parts[parts.count - 1]) : nil
    var (count, given) = (0, 0)
    for (order, maker) in makers.enumerated() {
      let isAble =
        moment.map {
          maker.statement < $0.statement
            || (maker.statement == $0.statement && (maker.isRepeated || order < $0.order))
        } ?? true
      guard isAble else { continue }
      switch maker.name {
      case .anything: return true
      case .exact(let exact):
        if exact == name { return true }
        if !word.isEmpty, exact.hasPrefix(word + "-") { given += 1 }
      case .numbered(let prefix, let some):
        guard prefix == word, let number, number >= 1 else { continue }
        if maker.isRepeated { return true }
        count += some
      }
    }
    guard count > 0, let number else { return false }
    return number <= count + given
  }

  @Test("They are found as by going through all of them")
  func sameAsOneByOne() {
    var random = SystemRandomNumberGenerator()
    let words = ["a", "a-b", "b", "delay"]
    for _ in 0..<300 {
      var ledger = NameLedger()
      var makers: [Maker] = []
      var expected: [String] = []
      // As bodies of definitions are, some statements are looked at late.
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        let statement = Int.random(in: 1...6, using: &random)
        let word = words.randomElement(using: &random) ?? "a"
        if Bool.random(using: &random) {
          let name: HostFacts.MadeName =
            switch Int.random(in: 0...40, using: &random) {
            case 0: .anything
            case 1...15: .exact(word + "-\(Int.random(in: 1...9, using: &random))")
            default: .numbered(word, count: Int.random(in: 1...3, using: &random))
            }
          let isRepeated = Int.random(in: 0...9, using: &random) == 0
          makers.append((name, statement, isRepeated))
          ledger.make("operation", name, statement: statement, isRepeated: isRepeated)
        } else {
          let isDeferred = Int.random(in: 0...3, using: &random) == 0
          let name = word + "-\(Int.random(in: 0...9, using: &random))"
          expected.append("\(name) \(statement) \(makers.count) \(isDeferred)")
          ledger.use(
            NameLedger.Use(
              namespaces: ["operation"], name: name, range: SourceRange(0, 0),
              source: SourceText(name: "test", text: ""), statement: statement,
              isDeferred: isDeferred, isQuestion: false))
        }
      }
      expected = expected.filter { line in
        let parts = line.split(separator: " ").map(String.init)
        guard let statement = Int(parts[1]), let order = Int(parts[2]) else { return false }
        let moment =
          parts[3] == "true" ? nil : MadeNames.Moment(statement: statement, order: order)
        return !isPossible(parts[0], makers, moment)
      }
      let found = ledger.impossible(existing: ["operation": []]).map { found in
        "\(found.use.name) \(found.use.statement) \(found.use.order) \(found.use.isDeferred)"
      }
      #expect(found == expected)
    }
  }
}
