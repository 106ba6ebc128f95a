import COpshTexts

extension String {
  /// Creates the text of bytes that are compiled in.
  init(_ text: opsh_text) {
    self.init(
      decoding: UnsafeBufferPointer(start: text.bytes, count: text.count), as: UTF8.self)
  }
}
