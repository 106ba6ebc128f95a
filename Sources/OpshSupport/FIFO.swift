/// A line of elements: the first one added is the first one taken.
///
/// All functions take constant time, amortised.
public struct FIFO<Element> {
  /// Nil for those that were taken, all before `head`.
  @usableFromInline var places: [Element?] = []
  @usableFromInline var head = 0

  /// Creates an empty line.
  @inlinable public init() {}

  /// How many elements are in it.
  @inlinable public var count: Int { places.count - head }

  /// Whether it has no elements.
  @inlinable public var isEmpty: Bool { head == places.count }

  /// The element that is taken next.
  @inlinable public var first: Element? { isEmpty ? nil : places[head] }

  /// Adds an element at the end.
  @inlinable public mutating func append(_ element: Element) {
    places.append(element)
  }

  /// Takes the first element out; nil if there is none.
  @inlinable public mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    // Moved out and not copied, which would count each reference in it twice more.
    var element: Element?
    swap(&element, &places[head])
    head += 1
    if head == places.count {
      places.removeAll(keepingCapacity: places.capacity <= 1024)
      head = 0
    } else if head >= 1024, head * 2 > places.count {
      places.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Puts an element back that was taken last.
  @inlinable public mutating func putBack(_ element: Element) {
    if head > 0 {
      head -= 1
      places[head] = element
    } else {
      places.insert(element, at: 0)
    }
  }

  /// Appends all elements of another line.
  @inlinable public mutating func append(_ other: FIFO) {
    if isEmpty {
      self = other
    } else {
      places.append(contentsOf: other.places[other.head...])
    }
  }
}

extension FIFO: Sendable where Element: Sendable {}
