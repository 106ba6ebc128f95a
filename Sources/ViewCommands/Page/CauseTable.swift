import CommandParts
import OpshJSON
import Operations

/// The looks of all causes as data, for the page.
enum CauseTable {
  private typealias Member = JSONValue.Member

  /// An object by the codes of the causes, in the order of the legend.
  ///
  /// Each has `words`, `short`, `letter`, `isExecuting`, `isWork`, the colours `light` and `dark`, and
  /// `pattern`: an object with `width`, `height`, `lines` and `areas`, or null for a cause that is
  /// filled with its colour.
  static var json: JSONValue {
    .object(
      Cause.allCases.map { cause in
        let look = cause.look
        return Member(
          name: cause.rawValue,
          value: .object([
            Member(name: "words", value: .string(look.words)),
            Member(name: "short", value: .string(look.short)),
            Member(name: "letter", value: .string(String(look.letter))),
            Member(name: "isExecuting", value: .boolean(cause.isExecuting)),
            Member(name: "isWork", value: .boolean(cause.isWork)),
            Member(name: "light", value: .string(look.hue.light)),
            Member(name: "dark", value: .string(look.hue.dark)),
            Member(name: "pattern", value: look.pattern.map(pattern) ?? .null),
          ]))
      })
  }

  private static func pattern(_ pattern: CauseLook.Pattern) -> JSONValue {
    .object([
      Member(name: "width", value: .real(pattern.width)),
      Member(name: "height", value: .real(pattern.height)),
      Member(name: "lines", value: .string(pattern.lines)),
      Member(name: "areas", value: .string(pattern.areas)),
    ])
  }
}
