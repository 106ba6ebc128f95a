import Testing

@testable import OpshNetworking

@Suite("Body buffer")
struct BodyBufferTests {
  @Test(
    "A body is the same however it is cut into pieces",
    arguments: [0, 1, 256 << 10, 256 << 10 + 1, 4 << 20, 9 << 20 + 77],
    [16 << 10, 300 << 10, 5 << 20])
  func pieces(count: Int, size: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
    let buffer = BodyBuffer()
    for _ in 0..<2 {
      for start in stride(from: 0, to: count, by: size) {
        #expect(buffer.append(Array(bytes[start..<min(count, start + size)])))
      }
      #expect(buffer.count == count)
      #expect(buffer.take() == bytes)
      #expect(buffer.count == 0)
    }
    // What was not taken is released.
    #expect(buffer.append(bytes))
  }
}
