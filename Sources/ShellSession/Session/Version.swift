/// The version of opsh, as `--version` and `version` print it.
public enum Version: Sendable {
  /// Major, minor and patch, as semantic versioning has them.
  public static let number: String = "0.1.0"

  /// The name and the number.
  public static let text: String = "opsh \(number)"
}
