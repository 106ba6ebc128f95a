import Foundation

/// Writes lines at once, without a buffer that could be lost or come late.
enum Console {
  static func print(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }

  static func complain(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
