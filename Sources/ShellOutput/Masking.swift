import OpshJSON
package import OpshSecrets
package import OpshTerminal

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
    guard known.generation > 0, case .object(let members) = value.mapStrings(known.mask) else {
      return self
    }
    return JSONFields(members)
  }
}
