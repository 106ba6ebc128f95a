/// The page of a live server.
package struct LivePage: Sendable {
  /// A document whose scripts and styles are all inside of it.
  let text: String
  /// The content security policy, which allows its own scripts and styles alone.
  let policy: String

  /// Creates a page.
  package init(_ text: String, policy: String) {
    self.text = text
    // The document itself can't say this.
    self.policy = policy + "; frame-ancestors 'none'"
  }
}
