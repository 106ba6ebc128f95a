import JSON
package import Secrets
package import Terminal

extension StyledText {
  /// Masks known secrets in the text and keeps the styles of the spans.
  package func masked(by known: KnownSecrets) -> StyledText {
    guard known.occur(in: plain) else { return self }
    let masked = spans.reduce(into: StyledText()) { text, span in
      text.append(.init(known.mask(span.text), style: span.style))
    }
    // A secret that begins in one span and ends in another.
    return known.occur(in: masked.plain) ? StyledText(known.mask(plain)) : masked
  }
}

extension JSONFields {
  /// Masks known secrets in all texts of a value.
  package func masked(by known: KnownSecrets) -> JSONFields {
    guard known.generation > 0, case .object(let members) = value.masked(by: known) else {
      return self
    }
    return JSONFields(members)
  }
}

extension JSONValue {
  fileprivate func masked(by known: KnownSecrets) -> JSONValue {
    switch self {
    case .string(let text): .string(known.mask(text))
    case .array(let elements): .array(elements.map { $0.masked(by: known) })
    case .object(let members):
      .object(members.map { .init(name: $0.name, value: $0.value.masked(by: known)) })
    case .null, .boolean, .integer, .real, .literal: self
    }
  }
}
