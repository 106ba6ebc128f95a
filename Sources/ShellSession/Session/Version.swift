internal import CBuildCommit

/// The version of opsh.
public enum Version: Sendable {
  /// Major, minor and patch, as semantic versioning has them.
  public static let number: String = "0.1.0"

  /// The abbreviated hash of the commit that a package was made from; nil in other builds.
  public static let commit: String? = {
    let text = String(cString: opsh_build_commit())
    return text.isEmpty ? nil : text
  }()

  /// The name and the number, and in a package the commit: `opsh 0.1.0 (1a2b3c4d5e6f)`.
  public static let text: String = commit.map { "opsh \(number) (\($0))" } ?? "opsh \(number)"
}
