/// A part of the work of an operation that executes: what a request does with its response.
///
/// The state stays `executing` from the first phase to the last.
public enum OperationPhase: String, Sendable, CaseIterable {
  /// The head of the response has come: its status, and the length that it announces.
  case headers
  /// The first part of the body has come.
  case body
  /// The data become a value.
  case decoding
  /// The value is written to a store or a file.
  case saving
}

/// The phase that an operation is in, and how much of it is done.
public struct PhaseProgress: Sendable, Equatable, CustomStringConvertible {
  // Small, because the log has one for each phase of each request.
  private let doneCount: Int32
  private let totalCount: Int32
  /// The phase.
  public let phase: OperationPhase

  /// How many parts of its work are done.
  public var done: Int { Int(doneCount) }
  /// How many parts there are; 0 if they are not counted.
  public var total: Int { Int(totalCount) }

  /// Creates the progress of a phase.
  ///
  /// - Parameters:
  ///   - phase: The phase.
  ///   - done: How many parts of its work are done.
  ///   - total: How many parts there are; 0 if they are not counted.
  public init(_ phase: OperationPhase, done: Int = 0, of total: Int = 0) {
    self.phase = phase
    (doneCount, totalCount) = (Int32(clamping: done), Int32(clamping: total))
  }

  /// Such as `decoding 34 of 60`.
  public var description: String {
    total > 0 ? "\(phase.rawValue) \(done) of \(total)" : phase.rawValue
  }
}
