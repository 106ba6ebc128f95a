/// A binary heap: its smallest element comes first.
///
/// It is inlinable, because the engine's order of starting goes through it.
@frozen public struct Heap<Element: Comparable> {
  @usableFromInline var elements: [Element]

  /// The number of elements.
  @inlinable public var count: Int { elements.count }

  /// The smallest element.
  @inlinable public var first: Element? { elements.first }

  /// Creates an empty heap.
  @inlinable public init() { elements = [] }

  /// Creates a heap of the elements, in linear time.
  @inlinable public init(_ elements: [Element]) {
    self.elements = elements
    for index in stride(from: elements.count / 2 - 1, through: 0, by: -1) {
      sink(from: index)
    }
  }

  /// Adds an element.
  @inlinable public mutating func insert(_ element: Element) {
    elements.append(element)
    elements.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      // The element is lifted out and put down once, and the others move into the hole: counting
      // references at each step would take most of the time.
      var hole = buffer.count - 1
      let moving = (base + hole).move()
      while hole > 0 {
        let parent = (hole - 1) / 2
        guard moving < base[parent] else { break }
        (base + hole).moveInitialize(from: base + parent, count: 1)
        hole = parent
      }
      (base + hole).initialize(to: moving)
    }
  }

  /// Removes elements that a condition holds for, in linear time.
  @inlinable public mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    self = Heap(elements.filter { !isUnwanted($0) })
  }

  /// Calls a function with each element, in no order.
  @inlinable public func forEach(_ body: (Element) -> Void) {
    elements.forEach(body)
  }

  /// Removes all elements and returns them, in no order.
  @inlinable public mutating func takeAll() -> [Element] {
    defer { elements = [] }
    return elements
  }

  /// Removes the smallest element and returns it.
  @inlinable public mutating func popFirst() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard !elements.isEmpty else { return last }
    let first = elements[0]
    elements[0] = last
    sink(from: 0)
    return first
  }

  @inlinable mutating func sink(from start: Int) {
    elements.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var hole = start
      let moving = (base + hole).move()
      while true {
        var child = 2 * hole + 1
        guard child < buffer.count else { break }
        if child + 1 < buffer.count, base[child + 1] < base[child] { child += 1 }
        guard base[child] < moving else { break }
        (base + hole).moveInitialize(from: base + child, count: 1)
        hole = child
      }
      (base + hole).initialize(to: moving)
    }
  }
}

extension Heap: Sendable where Element: Sendable {}
