/// A text that says where a secret is, such as `basic:ada:env:PASSWORD`, and does not hold it.
enum SecretSource {
  /// Returns whether a text is the value of `--auth`.
  ///
  /// That is a scheme, maybe a name, and a variable or a file; in a sentence a comma may follow.
  static func isSource(_ text: String) -> Bool {
    // Most texts do not begin so.
    guard ["basic:", "digest:", "bearer:"].contains(where: text.hasPrefix) else { return false }
    return text.wholeMatch(
      of: /(bearer|(basic|digest):[^:\s]+):(env:[A-Za-z_][A-Za-z0-9_]*,?|file:.+)/) != nil
  }
}
