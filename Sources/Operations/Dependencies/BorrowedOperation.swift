/// A reference to an operation that somebody else keeps alive until the transaction has ended.
///
/// Something refers weakly to nearly every operation that others depend on, and then its count of
/// references stands in a place of its own in memory. Counting up and down in a search that visits
/// operations all over the memory took more than half of its time.
struct BorrowedOperation: Equatable {
  private let reference: Unmanaged<ObservableOperation>

  init(_ operation: ObservableOperation) {
    reference = .passUnretained(operation)
  }

  /// The operation as an ordinary reference.
  var operation: ObservableOperation { reference.takeUnretainedValue() }

  /// Calls `body` with the operation without counting a reference.
  @inline(__always) func look<Result>(_ body: (ObservableOperation) -> Result) -> Result {
    reference._withUnsafeGuaranteedRef(body)
  }

  static func == (left: BorrowedOperation, right: BorrowedOperation) -> Bool {
    left.reference.toOpaque() == right.reference.toOpaque()
  }
}
