import ShellLanguage

/// The colours of the line that is being typed, as `set theme` chooses them.
package enum ThemeChoice: String, CaseIterable, ParameterValue {
  /// Dark or light if the terminal says what its background is, else basic.
  case auto
  /// Colours for a dark background.
  case dark
  /// Colours for a light background.
  case light
  /// The terminal's own colours.
  case basic
  /// None, and no suggestions.
  case off
}
