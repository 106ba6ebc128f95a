import ShellLanguage
import Testing

@testable import ShellSession

@Suite("Statements that bodies run", .timeLimit(.minutes(1)))
struct BodyPlaceTests {
  @Test("A known secret is masked wherever the statement is cut")
  func cut() throws {
    let session = try ShellFixture().session
    let secret = "Qx7/tRz9+Lm2=Pk4"
    session.screen.noteSecrets([secret])
    for count in 0..<70 {
      let text = String(repeating: "a", count: count) + " \(secret) \(secret)\nrest"
      let place = BodyPlace(
        source: SourceText(name: "tour.opsh", text: text), range: SourceRange(0, text.count))
      let shown = place.text(masking: session.screen.secrets)
      #expect(shown.hasSuffix("' (tour.opsh:1)") && !shown.contains("Q"), "\(shown)")
    }
  }
}
