package import Operations
package import ShellLanguage

/// What a session has to know of its commands: how to find them, and the pages of the errors that
/// can happen while they run.
///
/// The session knows no command by its name; it is created with them.
package struct CommandSet: Sendable {
  let catalog: CommandCatalog
  /// Every word of the name of a command.
  let words: Set<String>
  /// Returns the page of an error, with the error's whole code.
  let errorPage: @Sendable (any CodedError) -> ErrorPage

  package init(
    catalog: CommandCatalog, errorPage: @escaping @Sendable (any CodedError) -> ErrorPage
  ) {
    self.catalog = catalog
    words = Set(catalog.paths.joined())
    self.errorPage = errorPage
  }
}
