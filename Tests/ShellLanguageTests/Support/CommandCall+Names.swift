@testable import ShellLanguage

/// Arguments by their names, for a host whose commands have no keys.
extension CommandCall {
  /// Returns everything given for an argument or an option.
  func arguments(_ name: String) -> [BoundArgument] {
    given(name) ?? []
  }

  /// Returns whether anything was given for an argument or an option.
  func has(_ name: String) -> Bool { !arguments(name).isEmpty }

  /// Returns the first value given.
  func value(_ name: String) -> Value? { arguments(name).first?.value }

  /// Returns all values given.
  func values(_ name: String) -> [Value] { arguments(name).compactMap(\.value) }

  /// Returns the first value as text.
  func string(_ name: String) -> String? { value(name)?.text }

  /// Returns all values as texts.
  func strings(_ name: String) -> [String] { values(name).map(\.text) }

  /// Returns the block given.
  func block(_ name: String) -> Block? {
    if case .block(let block)? = arguments(name).first?.content { return block }
    return nil
  }

  /// Returns the expression given.
  func expression(_ name: String) -> Expression? {
    if case .expression(let expression)? = arguments(name).first?.content { return expression }
    return nil
  }

  func failure(
    _ page: ErrorPage, _ message: String, at name: String, help: String? = nil
  ) -> Diagnostic {
    Diagnostic(
      page, message, source: source, range: given(name)?.first?.range ?? range,
      help: help, phase: .running)
  }
}
