import COpshSQLite
import Foundation

/// The current row of a statement; valid only until its next step.
struct Row {
  let statement: OpaquePointer
  let library: SQLiteLibrary

  func isNull(_ column: Int32) -> Bool {
    library.functions.column_type(statement, column) == SQLITE_NULL
  }

  func integer(_ column: Int32) -> Int {
    Int(library.functions.column_int64(statement, column))
  }

  /// The complete text, including zero bytes.
  func text(_ column: Int32) -> String {
    withBytes(column) { String(decoding: $0, as: UTF8.self) }
  }

  func optionalText(_ column: Int32) -> String? {
    isNull(column) ? nil : text(column)
  }

  func blob(_ column: Int32) -> [UInt8] {
    withBytes(column) { Array($0) }
  }

  func time(_ column: Int32) -> Date {
    Date(timeIntervalSince1970: Double(integer(column)) / 1000)
  }

  func optionalTime(_ column: Int32) -> Date? {
    isNull(column) ? nil : time(column)
  }

  private func withBytes<Result>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    // The pointer first: reading it may convert the value and thereby change its length.
    let start = library.functions.column_blob(statement, column)
    let count = Int(library.functions.column_bytes(statement, column))
    return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
