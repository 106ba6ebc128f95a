package import Foundation

/// Gives a file the owner and the group of the one that it will replace, as far as this process may.
///
/// Without that, a file that root replaces would no longer be its user's. It can clear bits of the
/// permissions, which are to be set afterwards.
///
/// - Parameters:
///   - status: The file to be replaced.
///   - descriptor: The new one.
package func keepOwner(_ status: stat, on descriptor: Int32) {
  var own = stat()
  guard fstat(descriptor, &own) == 0,
    own.st_uid != status.st_uid || own.st_gid != status.st_gid,
    fchown(descriptor, status.st_uid, status.st_gid) != 0
  else { return }
  // The group may be one of the user's.
  _ = fchown(descriptor, uid_t.max, status.st_gid)
}
