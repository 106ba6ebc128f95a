import ShellLanguage
import Testing

@testable import ShellSession

@Suite("What stops statements from outside")
struct InterruptFlagTests {
  @Test("The first requested end is taken once")
  func requests() throws {
    let flag = InterruptFlag()
    #expect(!flag.isRaised && flag.takeEnd() == nil)
    flag.request(SessionEnd(cause: .signal(15)))
    flag.request(SessionEnd(cause: .timeout))
    #expect(flag.isRaised)
    guard case .signal(15)? = flag.takeEnd()?.cause else {
      Issue.record("the first end was replaced")
      return
    }
    #expect(!flag.isRaised && flag.takeEnd() == nil)
  }

  @Test("The end of bodies stays, whatever else is taken")
  func endsBodies() {
    let flag = InterruptFlag()
    flag.request(SessionEnd(cause: .timeout))
    flag.endBodies()
    #expect(flag.takeEnd() != nil)
    #expect(flag.isRaised && flag.endsBodies)
  }

  @Test("Signals are not looked at before each statement")
  func looks() {
    let flag = InterruptFlag()
    let looks = (0..<1000).count { _ in flag.isLookDue() }
    #expect(looks < 500)
  }
}
