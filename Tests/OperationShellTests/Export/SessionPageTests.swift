import Foundation
import TestSupport
import Testing
import OpshTexts

@testable import ShellCommands
@testable import ViewCommands

@Suite("The page of a session", .timeLimit(.minutes(5)))
struct SessionPageTests {
  private static let hostile = #"</script><!-- </template> & "q" 'q' "# + "\u{2028}\u{7}"

  /// A page whose recording has a hostile text.
  private func page() throws -> String {
    let folder = try ScratchFolder()
    let path = folder.path + "/page.html"
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 10ms --name slow
      block --name broken { fail "</script><!-- </template> & <b>" }
      wait --any-outcome
      """)
    try fixture.run("export '\(path)'")
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  /// The lines that a page holds, as the browser reads them from the text of the template.
  private static func recording(in page: String) throws -> [String] {
    let start = try #require(page.range(of: "<template id=\"recording\">"))
    let end = try #require(page.range(of: "</template>", range: start.upperBound..<page.endIndex))
    return page[start.upperBound..<end.lowerBound].split(separator: "\n").map(String.init)
  }

  @Test("It has exactly one script, one style and one recording")
  func elements() throws {
    for page in [try page(), SessionPage.html(lines: nil), SessionPage.html(lines: [Self.hostile])]
    {
      for tag in ["<script", "</script", "<style", "</style", "<template", "</template", "</html"] {
        #expect(page.components(separatedBy: tag).count == 2, "\(tag)")
      }
      #expect(page.hasPrefix("<!DOCTYPE html>\n") && page.hasSuffix("</html>\n"))
      #expect(!page.contains("{{"))
    }
  }

  @Test("Each file of the page is in the binary as it is now: an edit is compiled again")
  func embedded() throws {
    let folder = PackageFolder.path + "/Sources/COpshTexts/Page/"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(Set(names.map { ($0 as NSString).pathExtension }) == ["css", "html", "js"])
    for name in names {
      let text = try String(contentsOfFile: folder + name, encoding: .utf8)
      let whole =
        name.hasSuffix("js") ? PageText.script : name.hasSuffix("css") ? PageText.style : nil
      #expect((whole ?? PageText.markup).contains(text), "\(name)")
    }
  }

  @Test("Every element is closed in the order in which it was opened")
  func nesting() throws {
    let page = try page()
    let head = try #require(page.range(of: "<style>")).lowerBound
    let styleEnd = try #require(page.range(of: "</style>")).upperBound
    let scriptStart = try #require(page.range(of: "<script>")).lowerBound
    let scriptEnd = try #require(page.range(of: "</script>")).upperBound
    let markup = page[..<head] + page[styleEnd..<scriptStart] + page[scriptEnd...]
    let void: Set = ["meta", "link", "input", "!doctype"]
    var open: [String] = []
    for tag in markup.matches(of: /<(\/?)([a-zA-Z!][a-zA-Z0-9]*)[^>]*?(\/?)>/) {
      let name = tag.2.lowercased()
      if void.contains(name) || tag.3 == "/" { continue }
      if tag.1 == "/" {
        #expect(open.popLast() == name, "\(tag.0)")
      } else {
        open.append(name)
      }
    }
    #expect(open.isEmpty)
  }

  @Test("A recording in it is data: no character of it means anything in HTML")
  func escaping() throws {
    let page = try page()
    let lines = try Self.recording(in: page)
    #expect(!lines.isEmpty)
    #expect(lines.allSatisfy { !$0.contains("<") && !$0.contains(">") && !$0.contains("&") })
    let messages = try lines.compactMap { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return (object?["error"] as? [String: Any])?["message"] as? String
    }
    #expect(messages.contains { $0.contains("</script><!-- </template> & <b>") }, "\(messages)")
    let line = try JSONSerialization.data(
      withJSONObject: ["name": Self.hostile], options: .withoutEscapingSlashes)
    let escaped = try Self.recording(
      in: SessionPage.html(lines: [String(decoding: line, as: UTF8.self)]))
    let read = try JSONSerialization.jsonObject(with: Data(escaped[0].utf8)) as? [String: String]
    #expect(escaped.count == 1 && read == ["name": Self.hostile])
  }

  @Test("The lines are those of a recording, from the header to the summary")
  func lines() throws {
    let objects = try Self.recording(in: page()).map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let types = objects.compactMap { $0["type"] as? String }
    #expect(types.first == "recording" && types.last == "summary")
    #expect(types.count { $0 == "transition" } >= 8)
    #expect(objects.compactMap { $0["sequence"] as? Int } == Array(0..<objects.count))
  }

  @Test("It refers to nothing outside, and its policy allows its own script and style only")
  func policy() throws {
    let recorded = try page()
    let live = SessionPage.html(lines: nil)
    for page in [recorded, live] {
      let markup = try #require(page.range(of: "<template id=\"recording\">")).lowerBound
      let text = page[..<markup].replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
      #expect(!text.contains("http://") && !text.contains("https://") && !text.contains("src="))
      #expect(!text.contains("innerHTML") && !text.contains("eval(") && !text.contains("@import"))
      #expect(!text.contains("url(http"))
      // Attributes that would run a text, and styles that the policy would refuse.
      #expect(text.firstMatch(of: /<[a-z][^>]* (?:on[a-z]+|style)=/) == nil)
    }
    let policy = SessionPage.contentSecurityPolicy(isLive: false)
    #expect(
      recorded.contains("<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">"))
    #expect(policy.hasPrefix("default-src 'none'; script-src 'sha256-"))
    #expect(policy.contains("connect-src 'none'") && !policy.contains("unsafe"))
    #expect(SessionPage.contentSecurityPolicy(isLive: true).contains("connect-src 'self'"))
  }

  @Test("A page without a recording follows a live session")
  func live() throws {
    #expect(SessionPage.html(lines: nil).contains("data-mode=\"live\""))
    #expect(try page().contains("data-mode=\"recorded\""))
    #expect(try Self.recording(in: SessionPage.html(lines: nil)).isEmpty)
  }
}
