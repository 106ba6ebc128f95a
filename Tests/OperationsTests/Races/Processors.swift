import Foundation

/// Spreads threads over processors.
///
/// On a busy machine the scheduler likes to put threads that wait for one another onto the same
/// processor, where they take turns and never race. The C library's calls for this are not visible
/// to Swift, so they are looked up by name; where they are missing nothing is done.
struct Processors: Sendable {
  private typealias Call = @convention(c) (Int32, Int, UnsafeRawPointer) -> Int32

  private static let place = call("sched_setaffinity")

  /// A set of one processor for each that the process may use.
  private let single: [[UInt8]]
  private let all: [UInt8]

  init() {
    var mask = [UInt8](repeating: 0, count: MemoryLayout<cpu_set_t>.size)
    _ = mask.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { Self.call("sched_getaffinity")?(0, bytes.count, $0) }
    }
    all = mask
    single = (0..<mask.count * 8).filter { mask[$0 / 8] & 1 << UInt8($0 % 8) != 0 }.map { number in
      var one = [UInt8](repeating: 0, count: mask.count)
      one[number / 8] = 1 << UInt8(number % 8)
      return one
    }
  }

  /// Moves the calling thread to one of the processors.
  ///
  /// It is free to leave at once, but mostly stays. It must not be tied, for the threads that are
  /// made on it would be tied too, and those are of the pool that the whole process uses.
  func moveThread(to number: Int) {
    guard !single.isEmpty, let place = Self.place else { return }
    for mask in [single[number % single.count], all] {
      _ = mask.withUnsafeBytes { bytes in bytes.baseAddress.map { place(0, bytes.count, $0) } }
    }
  }

  private static func call(_ name: String) -> Call? {
    dlsym(dlopen(nil, RTLD_NOW), name).map { unsafeBitCast($0, to: Call.self) }
  }
}
