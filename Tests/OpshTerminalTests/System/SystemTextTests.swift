import OpshSystemCalls
import OpshTerminal
import Testing

@Suite("Texts of the system that are not UTF-8")
struct SystemTextTests {
  @Test("UTF-8 is read as it is, and every other byte comes back as it was")
  func everyByte() {
    #expect(String(ofSystem: Array("grün 🙂 \u{10FF7F}".utf8)) == "grün 🙂 \u{10FF7F}")
    for first in UInt8(1)...255 {
      for second in UInt8(1)...255 {
        let bytes = [first, second, UInt8(ascii: "x"), 0xE2, 0x82, first]
        #expect(String(ofSystem: bytes).systemBytes == bytes)
      }
    }
  }

  @Test("A character that stands for a byte is not confused with the byte")
  func escapes() {
    for scalar in UInt32(0x10FF80)...0x10FFFF {
      let bytes = Unicode.Scalar(scalar).map { Array(String($0).utf8) } ?? []
      let text = String(ofSystem: bytes + [UInt8(truncatingIfNeeded: scalar)])
      #expect(text.unicodeScalars.count == 5)
      #expect(text.systemBytes == bytes + [UInt8(truncatingIfNeeded: scalar)])
    }
  }

  @Test("A byte that is not UTF-8 is shown by its number")
  func shown() {
    #expect(
      VisibleText.escape(String(ofSystem: [0x67, 0xE9, 0xFF, 0x2E])) == "g\\xE9\\xFF.")
  }
}
