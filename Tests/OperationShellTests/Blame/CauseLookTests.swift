import Foundation
import OpshJSON
import Operations
import ShellOutput
import ShellSession
import Testing

@testable import CommandParts
@testable import ShellCommands
@testable import ViewCommands

@Suite("The look of causes", .timeLimit(.minutes(5)))
struct CauseLookTests {
  private static let causes = Cause.allCases

  @Test("Letters differ, also where only ASCII is shown")
  func letters() {
    let letters = Self.causes.map { String($0.look.letter) }
    #expect(Set(letters).count == letters.count)
    let plain = letters.map { ASCIIText.replacing($0) }
    #expect(Set(plain).count == plain.count)
    #expect(plain.allSatisfy { $0.count == 1 })
  }

  @Test("Words differ, and the short form has no word that they do not have")
  func words() {
    #expect(Set(Self.causes.map(\.look.words)).count == Self.causes.count)
    #expect(Set(Self.causes.map(\.look.short)).count == Self.causes.count)
    for look in Self.causes.map(\.look) {
      let words = Set(look.words.lowercased().split { !$0.isLetter && !$0.isNumber })
      let short = Set(look.short.lowercased().split { !$0.isLetter && !$0.isNumber })
      #expect(
        short.allSatisfy { word in words.contains { $0.hasPrefix(word) } }, "\(look.short)")
      #expect(look.words.count <= 36 && look.short.count <= 18)
    }
  }

  @Test("Patterns differ without colour, and fills without a pattern in lightness")
  func paints() {
    let drawings = Self.causes.compactMap(\.look.pattern).map { "\($0.lines)|\($0.areas)" }
    #expect(Set(drawings).count == drawings.count)
    let solid = Self.causes.map(\.look).filter { $0.pattern == nil }
    for hue in [\CauseLook.Hue.light, \CauseLook.Hue.dark] {
      let lights = solid.map { Self.luminance($0.hue[keyPath: hue]) + 0.05 }.sorted()
      for (darker, lighter) in zip(lights, lights.dropFirst()) { #expect(lighter / darker > 1.3) }
    }
  }

  @Test("The page's data has each cause by its code, with what the table says")
  func data() throws {
    let json = try JSONValue(parsing: Array(CauseTable.json.text.utf8))
    for cause in Self.causes {
      let entry = try #require(json[cause.rawValue])
      #expect(entry["words"]?.string == cause.look.words)
      #expect(entry["short"]?.string == cause.look.short)
      #expect(entry["letter"]?.string == String(cause.look.letter))
      #expect(entry["dark"]?.string == cause.look.hue.dark)
      #expect(entry["pattern"]?["areas"]?.string == cause.look.pattern?.areas)
    }
  }

  @Test("Terminal and picture show a cause as the table says")
  func shown() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1
      group g { delay 1s --name m --delay 1s }; delay 1s --name b --after g
      block --name r --retry 1 --backoff 2s { fail no }; delay 1s --name full
      queue new q --paused; delay 1s --name p --queue q; sleep 9s; queue resume q
      wait --any-outcome
      """)
    let bars = try fixture.output(of: "timeline --phases").joined(separator: "\n")
    let sums = try fixture.output(of: "blame").joined(separator: "\n")
    var svg = SVGBuilder(.light)
    let causes: [Cause] = [.delay, .dependency, .backoff, .queueFull, .queuePaused, .members]
    for cause in causes {
      let look = cause.look
      #expect(bars.contains("\(look.letter) \(look.words)"), "\(cause): \(bars)")
      #expect(sums.contains(look.words), "\(cause): \(sums)")
      let fill = svg.paint(cause)
      svg.rectangle(.init(x: 0, y: 0, width: 1, height: 1), fill: fill)
    }
    for cause in Self.causes {
      let isDefined = svg.text.contains("<pattern id=\"fill-\(cause.rawValue)\"")
      #expect(isDefined == causes.contains(cause))
    }
  }

  /// The relative luminance of `#rrggbb`.
  private static func luminance(_ color: String) -> Double {
    let value = Int(color.dropFirst(), radix: 16) ?? 0
    let parts = [16, 8, 0].map { shift -> Double in
      let part = Double(value >> shift & 255) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }
}
