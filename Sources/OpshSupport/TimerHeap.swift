/// Values by the time at which they are due: the earliest first, and of equal ones the one that was
/// added first.
@frozen public struct TimerHeap<Time: Comparable, Value> {
  @usableFromInline struct Entry: Comparable {
    @usableFromInline let time: Time
    @usableFromInline let number: Int
    @usableFromInline let value: Value

    @inlinable init(time: Time, number: Int, value: Value) {
      (self.time, self.number, self.value) = (time, number, value)
    }

    @inlinable static func < (left: Entry, right: Entry) -> Bool {
      left.time != right.time ? left.time < right.time : left.number < right.number
    }

    @inlinable static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  @usableFromInline var entries = Heap<Entry>()
  @usableFromInline var lastNumber = 0

  /// Creates an empty heap.
  @inlinable public init() {}

  /// The number of values.
  @inlinable public var count: Int { entries.count }

  /// The value that is due first, and its time.
  @inlinable public var first: (time: Time, value: Value)? {
    entries.first.map { ($0.time, $0.value) }
  }

  /// Adds a value that is due at a time.
  @inlinable public mutating func insert(_ value: Value, at time: Time) {
    lastNumber += 1
    entries.insert(Entry(time: time, number: lastNumber, value: value))
  }

  /// Removes the value that is due first and returns it.
  @inlinable @discardableResult public mutating func popFirst() -> Value? {
    entries.popFirst()?.value
  }

  /// Removes values that a condition holds for.
  @inlinable public mutating func removeAll(where isUnwanted: (Value) -> Bool) {
    entries.removeAll { isUnwanted($0.value) }
  }
}

extension TimerHeap: Sendable where Time: Sendable, Value: Sendable {}
extension TimerHeap.Entry: Sendable where Time: Sendable, Value: Sendable {}
