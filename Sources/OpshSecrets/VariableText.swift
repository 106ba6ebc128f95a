/// Decides which texts of variables and parameters are secret.
///
/// Such a text has at least six characters, and the variable or parameter a name such as `password`,
/// `token` or `api_key`. A text in any variable that holds a key such as `sk-…` is secret, too.
public enum VariableText: Sendable {
  /// Returns whether a text is secret because of the name of its variable.
  ///
  /// Not so its own name, a scheme (`let auth = "digest"`), the name of a file with cookies, and a text
  /// that says where a secret is.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - name: The name of the variable or parameter.
  /// - Returns: Whether it is.
  public static func isSecret(_ text: String, of name: String) -> Bool {
    guard SecretName.isSecret(name, in: .variable), text.count >= KnownSecrets.minimumLength,
      text.lowercased() != name.lowercased(), !Credentials.schemes.contains(text.lowercased()),
      !SecretSource.isSource(text)
    else { return false }
    return !name.lowercased().contains("cookie") || text.contains("=")
  }

  /// Returns what of a text is secret, for ``KnownSecrets``.
  ///
  /// Of a text of several lines each line is, because they are shown one by one.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - name: The name of its variable or parameter.
  /// - Returns: The texts, in all the forms in which they may appear.
  public static func credentials(in text: String, of name: String) -> [String] {
    var found = keys(in: text)
    if isSecret(text, of: name) {
      found.append(text)
      let lines = text.split(whereSeparator: \.isNewline)
      if lines.count > 1 { found += lines.map(String.init) }
      let words = text.split(separator: " ")
      if words.count == 2, Credentials.schemes.contains(words[0].lowercased()) {
        return found.flatMap(Credentials.written)
          + Credentials.texts(inHeader: text, isCookie: false)
      }
    }
    return found.flatMap(Credentials.written)
  }

  /// Returns the keys such as `sk-…` in a text, which may be a whole script.
  public static func keys(in text: String) -> [String] { SecretKey.all(in: text) }
}
