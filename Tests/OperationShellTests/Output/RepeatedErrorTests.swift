import ShellOutput
import Testing

@Suite("Equal errors on a terminal")
struct RepeatedErrorTests {
  @Test("Ten equal errors are shown, and the others are counted by error")
  func counts() {
    let errors = RepeatedErrors()
    let shown = (1...25).count { _ in errors.isShown("a") }
    let others = (1...11).count { _ in errors.isShown("b") }
    #expect((shown, others) == (10, 10))
    #expect(errors.isShown("c"))
    let hidden = errors.takeHidden()
    #expect(hidden.map(\.error) == ["a", "b"])
    #expect(hidden.map(\.count) == [15, 1])
    #expect(errors.isShown("a"), "after the count it begins again")
  }
}
