/// The text of the prompt, with fields that are filled in each time it is shown.
///
/// A field is a name in braces. Signs around the name, as in `{ [queue]}`, are shown with the value
/// only; a field without a value is not shown at all.
package struct PromptTemplate: Sendable, Equatable {
  /// The fields that the prompt can show.
  package enum Field: String, Sendable, CaseIterable {
    case opsh, star, time, queue, status, failed, executing, waiting

    /// Says what it shows, and when.
    package var help: String {
      switch self {
      case .opsh: "the name of the shell"
      case .star: "a star while an operation executes"
      case .time: "the time on the virtual clock"
      case .queue: "the queue in use, if it is paused or not the default one"
      case .status: "the exit status of the last line, if it is not 0"
      case .failed: "how many operations have failed since the last prompt, if any"
      case .executing: "how many operations execute, if any"
      case .waiting: "how many operations on queues do not execute yet, if any"
      }
    }
  }

  enum Part: Sendable, Equatable {
    case text(String)
    case field(Field, before: String, after: String)

    var text: String {
      switch self {
      case .text(let text): text
      case .field(let field, let before, let after): "{\(before)\(field.rawValue)\(after)}"
      }
    }
  }

  /// A text that is no template.
  package struct Fault: Error, Equatable {
    package let message: String
    package let help: String
  }

  let parts: [Part]

  /// The text that it was read from.
  package var text: String { parts.map(\.text).joined() }

  package static let standard = PromptTemplate(parts: [
    .field(.opsh, before: "", after: ""), .field(.star, before: "", after: ""),
    .field(.time, before: " ", after: ""), .field(.queue, before: " [", after: "]"),
    .text("> "),
  ])

  private init(parts: [Part]) { self.parts = parts }

  /// Reads a template.
  package init(_ text: String) throws(Fault) {
    var parts: [Part] = []
    var rest = text[...]
    guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw Fault(
        message: "a prompt can't contain control characters, such as a newline",
        help: "fields have their colours; 'help set prompt' lists them")
    }
    while !rest.isEmpty {
      let literal = rest.prefix { $0 != "{" && $0 != "}" }
      if !literal.isEmpty { parts.append(.text(String(literal))) }
      rest = rest[literal.endIndex...]
      guard let brace = rest.first else { break }
      guard brace == "{", let end = rest.firstIndex(of: "}") else {
        throw Fault(
          message: brace == "{" ? "'{' is never closed" : "'}' closes nothing",
          help: "a field is a name in braces, such as '{star}'")
      }
      parts.append(try Self.field(rest[rest.index(after: rest.startIndex)..<end]))
      rest = rest[rest.index(after: end)...]
    }
    self.init(parts: parts)
  }

  private static func field(_ inside: Substring) throws(Fault) -> Part {
    let before = inside.prefix { !$0.isLetter }
    let name = inside[before.endIndex...].prefix { $0.isLetter }
    let after = inside[name.endIndex...]
    guard let field = Field(rawValue: String(name)), !after.contains(where: \.isLetter) else {
      throw Fault(
        message: name.isEmpty ? "'{\(inside)}' names no field" : "there is no field '\(inside)'",
        help: "fields: " + Field.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return .field(field, before: String(before), after: String(after))
  }

  /// Returns whether the prompt shows a field.
  func shows(_ fields: Field...) -> Bool {
    parts.contains {
      if case .field(let field, _, _) = $0 { fields.contains(field) } else { false }
    }
  }

  /// Returns what stands after a prompt of this template in a line; nil if it has none.
  package func input(in line: Substring) -> Substring? {
    // A prompt that ends with a field has no certain end.
    guard case .text(let last)? = parts.last, last.contains(where: { !$0.isWhitespace }) else {
      return nil
    }
    return Self.rest(of: line, after: parts[...])
  }

  private static func rest(of line: Substring, after parts: ArraySlice<Part>) -> Substring? {
    guard let part = parts.first else { return line }
    let further = parts.dropFirst()
    switch part {
    case .text(let text):
      // Blanks at the end of a line may be lost.
      if further.isEmpty, !line.hasPrefix(text), text.hasSuffix(" "), line == text.dropLast() {
        return ""
      }
      return line.hasPrefix(text) ? rest(of: line.dropFirst(text.count), after: further) : nil
    case .field(let field, let before, let after):
      if let found = rest(of: line, after: further) { return found }
      guard line.hasPrefix(before) else { return nil }
      let value = line.dropFirst(before.count)
      if field == .opsh { return known("opsh" + after, in: value, further) }
      if field == .star { return known("*" + after, in: value, further) }
      for end in value.indices.dropFirst() where value[end...].hasPrefix(after) {
        if let found = rest(of: value[end...].dropFirst(after.count), after: further) {
          return found
        }
      }
      return nil
    }
  }

  private static func known(
    _ text: String, in line: Substring, _ further: ArraySlice<Part>
  ) -> Substring? {
    line.hasPrefix(text) ? rest(of: line.dropFirst(text.count), after: further) : nil
  }
}
