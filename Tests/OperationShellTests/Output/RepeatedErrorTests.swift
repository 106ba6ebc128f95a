import ShellOutput
import Testing

@Suite("Equal errors on a terminal")
struct RepeatedErrorTests {
  @Test("Ten equal errors are shown, and the others are counted by error")
  func counts() {
    let errors = RepeatedErrors()
    let counts = (1...25).map { _ in errors.count("a") }
    #expect(counts == Array(1...25))
    #expect((1...11).map { _ in errors.count("b") }.last == 11)
    #expect(errors.count("c") == 1)
    let hidden = errors.takeHidden()
    #expect(hidden.map(\.error) == ["a", "b"])
    #expect(hidden.map(\.count) == [15, 1])
    #expect(errors.count("a") == 1, "after the count it begins again")
  }
}
