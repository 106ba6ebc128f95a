import COpshSQLite
import Foundation
import OpshNetworking

extension StoreError {
  /// Converts a result code of SQLite.
  static func sqlite(
    code: Int32, systemError: Int32, text: String, path: String
  ) -> StoreError {
    let file = "'\(printable(path))'"
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      return StoreError(.busy, "\(file) is being written by another process, try again later")
    case SQLITE_FULL:
      return full(path)
    case SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(systemError):
      return full(path)
    case SQLITE_CORRUPT:
      return damaged(path, text)
    case SQLITE_NOTADB:
      return StoreError(
        .damaged,
        "\(file) is not a database, or its beginning is damaged; move it away to begin with an empty "
          + "one")
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
      return unwritable(path, systemError == 0 ? text : systemText(systemError))
    case SQLITE_IOERR:
      return unwritable(path, systemError == 0 ? text : systemText(systemError))
    default:
      return StoreError(.failed, "\(file): \(printable(text)) (SQLite error \(code))")
    }
  }

  static func damaged(_ path: String, _ text: String) -> StoreError {
    StoreError(
      .damaged,
      "'\(printable(path))' is damaged (\(printable(text))); move it away to begin with an empty one"
    )
  }

  static func full(_ path: String) -> StoreError {
    StoreError(
      .full, "there is no room left on the disk for '\(printable(path))', nothing was changed")
  }

  static func unwritable(_ path: String, _ reason: String) -> StoreError {
    StoreError(.unwritable, "'\(printable(path))' cannot be used: \(printable(reason))")
  }

  /// Converts the failure of a system call on the file or its folder.
  static func system(_ number: Int32, path: String) -> StoreError {
    [ENOSPC, EDQUOT, EFBIG].contains(number) ? full(path) : unwritable(path, systemText(number))
  }

  private static func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }
}
