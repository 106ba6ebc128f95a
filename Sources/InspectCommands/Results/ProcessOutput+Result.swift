import OpshJSON
import OpshProcesses
import ShellOutput
import ShellSession

extension ProcessOutput: ShellResult {
  var json: JSONValue {
    var fields: JSONFields = [:]
    for (name, bytes) in [("output", output), ("errors", errors)] {
      let written = JSONFields(bytes: bytes, name: name, encoding: name + "_encoding")
      // The order of reading: the bytes and their stream.
      fields.members += written.members.reversed()
    }
    fields.append("omitted", .number(omitted))
    fields.append("status", .number(Int(status)))
    return fields.value
  }
}
