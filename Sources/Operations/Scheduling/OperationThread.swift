import Foundation
import Synchronization

/// The thread on which an operation began.
public struct OperationThread: Sendable, Equatable {
  /// What the thread is there for.
  public enum Role: UInt8, Sendable, CaseIterable {
    /// A thread of Foundation's queue, which many operations share.
    case pool = 1
    /// A thread that a blocking operation has for itself while it runs.
    case body
    /// The thread that finished another operation, lent for a brief beginning.
    case lent
    /// The thread of the queue's executor.
    case executor
    /// The thread that called `start()`.
    case caller
  }

  /// What the thread is there for.
  public let role: Role
  /// The number of the thread in the process, in the order in which threads first ran an operation;
  /// 0 on the virtual clock, because it would differ from run to run.
  public let number: Int

  package init(role: Role, number: Int) {
    self.role = role
    self.number = number
  }

  /// Packed into 32 bits, which every operation has room for.
  var packed: UInt32 { UInt32(role.rawValue) << 24 | UInt32(number & 0xff_ffff) }

  init?(packed: UInt32) {
    guard let role = Role(rawValue: UInt8(packed >> 24)) else { return nil }
    self.init(role: role, number: Int(packed & 0xff_ffff))
  }

  /// The thread in words, such as `body thread 3`.
  package var name: String {
    let number = number == 0 ? "" : " \(number)"
    return switch role {
    case .body: "body thread\(number)"
    case .pool: "thread\(number) of Foundation's pool"
    case .lent: "thread\(number), which had finished another operation"
    case .executor: "the interpreter's thread"
    case .caller: "thread\(number), which started it by hand"
    }
  }

  private static let lastNumber = Atomic(0)
  /// Where each thread keeps its number.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// The number of the calling thread.
  fileprivate static func callingNumber() -> Int {
    if let kept = pthread_getspecific(key) { return Int(bitPattern: kept) }
    let number = lastNumber.add(1, ordering: .relaxed).newValue
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: number))
    return number
  }
}

extension ObservableOperation {
  /// The thread on which it began, of the last attempt; nil if it has not begun, or began as part of
  /// the change that started it and holds no thread.
  ///
  /// A ``BlockingOperation`` runs there to its end; an asynchronous operation only begins there.
  public final var thread: OperationThread? {
    OperationThread(packed: threadMark.load(ordering: .relaxed))
  }

  /// Notes that it begins on the calling thread.
  final func noteThread(as role: OperationThread.Role) {
    let number = engine.virtualClock.isInUse ? 0 : OperationThread.callingNumber()
    noteThread(OperationThread(role: role, number: number))
  }

  /// Notes on which thread it began.
  final func noteThread(_ thread: OperationThread) {
    threadMark.store(thread.packed, ordering: .relaxed)
  }
}
