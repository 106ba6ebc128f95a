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
    let fields: JSONFields = [
      "output": .string(String(decoding: output, as: UTF8.self)),
      "errors": .string(String(decoding: errors, as: UTF8.self)),
      "omitted": .number(omitted),
      "status": .number(Int(status)),
    ]
    return fields.value
  }
}
