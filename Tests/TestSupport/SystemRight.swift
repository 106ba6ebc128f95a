import Foundation

/// Rights that some tests need and that a container may lack, even as root.
///
/// Each is tried once, not derived from who the user is: root of an ordinary container may neither
/// mount nor enter a namespace. A test that needs a right is enabled by it; `scripts/test` lists
/// the skipped tests, and takes a skip for a failure where mounting is allowed.
public enum SystemRight: Sendable {
  /// Mounting in a mount namespace of one's own.
  public static let mounting = isAllowed(
    "unshare", "-m", "sh", "-c", "mount -t tmpfs none \"$0\"", NSTemporaryDirectory())

  /// Entering a network namespace.
  public static let networkNamespace = isAllowed("unshare", "-rn", "true")

  /// Giving a file to another user.
  public static let givingFilesAway = isAllowed(
    "sh", "-c",
    "file=$(mktemp) && chown 4711:4712 \"$file\"; status=$?; rm -f \"$file\"; exit $status")

  private static func isAllowed(_ command: String...) -> Bool {
    let outcome = try? ChildProcess.run("/usr/bin/env", arguments: command)
    return outcome?.status == 0
  }
}
