import Dispatch
import Foundation

/// Sees to it that observers and handlers never run out of stack.
///
/// One that finishes the next operation, whose observer finishes the next, and so on, is called
/// inside the call of the one before: what it does has its consequences before it returns. A few
/// thousand of these fill the stack of a thread. So where little of it is left, the call is made on
/// another one, and waited for.
enum StackRoom {
  /// What the engine and one observer need; of a small stack a half.
  private static let reserve: UInt = 192 << 10
  private static let freshSize = 8 << 20

  /// What holds for a thread: the lowest address at which there is still room.
  private static let limit: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// Whether the stack of this thread is nearly full.
  @inline(__always) static var isShort: Bool {
    guard let limit else { return false }
    var here: UInt8 = 0
    let address = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
    let known = UInt(bitPattern: pthread_getspecific(limit))
    return address < (known == 0 ? findLimit(limit) : known)
  }

  private typealias GetAttributes =
    @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

  /// The function that tells where a stack lies; the headers hide it from Swift, as it is not POSIX.
  private static let getAttributes: GetAttributes? = {
    dlsym(nil, "pthread_getattr_np").map { unsafeBitCast($0, to: GetAttributes.self) }
  }()

  @inline(never) private static func findLimit(_ key: pthread_key_t) -> UInt {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    var lowest: UnsafeMutableRawPointer?
    var size = 0
    // Without an answer nothing is ever short, as 1 is below all addresses.
    var limit: UInt = 1
    if let getAttributes, getAttributes(pthread_self(), attributes) == 0 {
      if pthread_attr_getstack(attributes, &lowest, &size) == 0 {
        limit = UInt(bitPattern: lowest) + min(reserve, UInt(size) / 2)
      }
      pthread_attr_destroy(attributes)
    }
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: limit))
    return limit
  }

  /// Makes a call, and where this stack is nearly full, makes it on another one.
  static func call(_ body: @escaping @Sendable () -> Void) {
    if isShort { callElsewhere(body) } else { body() }
  }

  /// Makes a call on another stack, and waits for it.
  @inline(never) static func callElsewhere(_ body: @escaping @Sendable () -> Void) {
    // The code is still that of the same operations, which it cannot wait for.
    let (current, surroundings) = (ObservableOperation.current, Surroundings.present)
    let done = DispatchSemaphore(value: 0)
    let failure = BodyThread.start(stackSize: freshSize) {
      ObservableOperation.$current.withValue(current) {
        Surroundings.$present.withValue(surroundings, operation: body)
      }
      done.signal()
    }
    if failure == nil { done.wait() } else { body() }
  }
}
