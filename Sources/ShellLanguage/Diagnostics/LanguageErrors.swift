/// The errors and warnings of the language itself; a host has more of its own.
public enum LanguageErrors: Sendable {
  /// All pages, in groups.
  public static let groups: [(title: String, pages: [ErrorPage])] = [
    ("Reading a script", text + signs + statements),
    ("Commands and their arguments", commands),
    ("Names", names),
    ("Values", values),
  ]

  private static let text: [ErrorPage] = [
    .unclosedQuote, .unclosedBrace, .unclosedParenthesis, .unclosedBracket, .unclosedProgram,
    .unfinishedLine, .trailingBlank, .strayParenthesis, .strayBrace, .badEscape, .tooDeep,
    .tooLarge, .nulByte,
    .invalidUTF8, .syntax,
  ]

  private static let signs: [ErrorPage] = [
    .expectedVariable, .expectedValue, .expectedOperator, .expectedCommand, .expectedName,
    .expectedEquals, .expectedCondition, .expectedBlock, .expectedIn, .missingValue, .missingSpace,
    .missingFile, .missingProgram, .nothingToRedirect, .unexpectedText, .unexpectedBlock,
    .chainedComparison,
  ]

  private static let statements: [ErrorPage] = [
    .missingCatch, .misplacedElse, .otherShell, .misplacedCatch, .misplacedBreak,
    .misplacedContinue, .misplacedReturn, .misplaced, .misplacedProgram, .misplacedParameter,
    .duplicateParameter,
    .badName, .reservedName, .nameTaken, .replacesCommand,
  ]

  private static let commands: [ErrorPage] = [
    .unknownCommand, .unknownSubcommand, .missingSubcommand, .dynamicCommand, .unknownOption,
    .duplicateOption, .unexpectedValue, .tooManyValues, .missingArgument, .unexpectedArgument,
    .wrongKind, .bareSeconds, .outOfRange, .unknownChoice, .badURL, .unsupportedProtocol,
    .unknownFunction,
    .wrongArity, .unknownCollection, .badAlias, .aliasLoop, .cannotLookBack,
  ]

  private static let names: [ErrorPage] = [
    .undefinedVariable, .ambiguousName, .capturedVariable, .localVariable, .unusedVariable,
    .unreachable, .unknownOperation, .unknownQueue, .reusedName, .errorAsTest, .unknownName,
    .unknownProperty,
    .impossibleComparison, .propertyAsText,
  ]

  private static let values: [ErrorPage] = [
    .overflow, .divisionByZero, .typeMismatch, .reversedRange, .listTooLong, .badPattern, .noValue,
    .failure,
  ]
}
