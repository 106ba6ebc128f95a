import Networking

/// What a program left behind.
struct ProcessOutput: Sendable, Equatable {
  /// The end of its standard output.
  var output: [UInt8] = []
  /// The end of its standard error.
  var errors: [UInt8] = []
  /// How many bytes both printed before what is kept.
  var omitted = 0
  /// Its exit status, -1 while it has none or where a signal ended it.
  var status: Int32 = -1

  /// How many bytes of each stream are kept.
  static let limit = 1 << 20
}

extension ProcessOutput: ShellResult {
  var json: JSONValue {
    var fields: JSONFields = [:]
    for (name, bytes) in [("output", output), ("errors", errors)] {
      let written = JSONFields(bytes: bytes, name: name, encoding: name + "_encoding")
      // The order of reading: the bytes, and what they are.
      fields.members += written.members.reversed()
    }
    fields.append("omitted", .number(omitted))
    fields.append("status", .number(Int(status)))
    return fields.value
  }
}
