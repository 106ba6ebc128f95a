import Foundation

/// Where libFuzzer comes in (`scripts/fuzz`); nothing else calls it.
///
/// - Parameters:
///   - bytes: The input.
///   - count: Its length.
/// - Returns: 0, as libFuzzer wants it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  if let breach = FuzzTarget.breach(by: Array(UnsafeBufferPointer(start: bytes, count: count))) {
    FileHandle.standardError.write(Data("fuzz: \(breach)\n".utf8))
    preconditionFailure(breach)
  }
  return 0
}
