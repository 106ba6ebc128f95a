/// The output of a program.
package struct ProcessOutput: Sendable, Equatable {
  /// The end of its standard output.
  package var output: [UInt8] = []
  /// The end of its standard error.
  package var errors: [UInt8] = []
  /// The number of bytes that were discarded before the kept ones, on both streams.
  package var omitted = 0
  /// Its exit status; -1 while it is running or if a signal ended it.
  package var status: Int32 = -1

  /// The number of bytes kept of each stream.
  package static let limit = 1_000_000
}
