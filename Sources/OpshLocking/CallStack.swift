public import Foundation

/// How much is left of the calling thread's stack, measured against a reserve.
///
/// Code that calls itself, or calls handlers that call it again, asks before it goes deeper, so that
/// no input can overflow a stack.
public struct CallStack: Sendable {
  private let reserve: UInt
  /// The key of each thread's lowest stack address that leaves the reserve free.
  @usableFromInline let lowest: pthread_key_t?

  /// Creates the measure, which takes one of the about 1,000 thread-specific keys of the process.
  ///
  /// - Parameter reserve: How many bytes to keep free for code that does not check; at most half of
  ///   the stack.
  public init(reserve: UInt) {
    self.reserve = reserve
    var key = pthread_key_t()
    lowest = pthread_key_create(&key, nil) == 0 ? key : nil
  }

  /// Whether less than the reserve is left, so that no deeper call should follow.
  @inlinable public var isShort: Bool {
    guard let lowest else { return false }
    var marker: UInt8 = 0
    let here = withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
    let known = UInt(bitPattern: pthread_getspecific(lowest))
    return here < (known == 0 ? findLowest(lowest) : known)
  }

  private typealias GetAttributes =
    @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

  /// Tells where a stack is; not POSIX, so the headers hide it from Swift.
  private static let getAttributes: GetAttributes? =
    dlsym(nil, "pthread_getattr_np").map { unsafeBitCast($0, to: GetAttributes.self) }

  @usableFromInline @inline(never) func findLowest(_ key: pthread_key_t) -> UInt {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    var address: UnsafeMutableRawPointer?
    var size = 0
    // Without an answer no stack counts as full: 1 is below all addresses.
    var found: UInt = 1
    if let getAttributes = Self.getAttributes, getAttributes(pthread_self(), attributes) == 0 {
      if pthread_attr_getstack(attributes, &address, &size) == 0 {
        found = UInt(bitPattern: address) + min(reserve, UInt(size) / 2)
      }
      pthread_attr_destroy(attributes)
    }
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: found))
    return found
  }
}
