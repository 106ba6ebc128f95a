/// A binary heap: its smallest element comes first.
struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  var count: Int { elements.count }

  var first: Element? { elements.first }

  init() {}

  /// Makes a heap of the elements, in linear time.
  init(_ elements: [Element]) {
    self.elements = elements
    for index in stride(from: elements.count / 2 - 1, through: 0, by: -1) {
      sink(from: index)
    }
  }

  mutating func insert(_ element: Element) {
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

  mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    self = Heap(elements.filter { !isUnwanted($0) })
  }

  /// Empties it and keeps the memory.
  mutating func removeAll() { elements.removeAll(keepingCapacity: true) }

  func forEach(_ body: (Element) -> Void) {
    elements.forEach(body)
  }

  /// Takes out all elements, in no order.
  mutating func takeAll() -> [Element] {
    defer { elements = [] }
    return elements
  }

  mutating func popFirst() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard !elements.isEmpty else { return last }
    let first = elements[0]
    elements[0] = last
    sink(from: 0)
    return first
  }

  private mutating func sink(from start: Int) {
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
