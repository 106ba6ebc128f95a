/// A command that a script defined.
final class DefinedCommand: Sendable {
  let definition: Definition
  let signature: CommandSignature
  let source: SourceText
  /// How many arguments a call needs at least.
  let neededCount: Int

  init(_ definition: Definition, source: SourceText) {
    self.definition = definition
    self.source = source
    self.signature = Self.signature(of: definition)
    neededCount = definition.parameters.count { $0.standard == nil }
  }

  static func signature(of definition: Definition) -> CommandSignature {
    CommandSignature(
      path: [definition.name.text],
      CommandDeclaration(
        summary: "Defined in a script",
        positionals: definition.parameters.map {
          CommandSignature.Positional(
            $0.name.text, .any, $0.standard == nil ? .required : .optional)
        }, traits: definition.block.returnsValue ? [.isDefined] : [.isDefined, .givesNoValue]))
  }
}
