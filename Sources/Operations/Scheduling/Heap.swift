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
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child] < elements[parent] else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    self = Heap(elements.filter { !isUnwanted($0) })
  }

  func forEach(_ body: (Element) -> Void) {
    elements.forEach(body)
  }

  /// Takes out all elements, in no order.
  mutating func takeAll() -> [Element] {
    defer { elements = [] }
    return elements
  }

  mutating func popFirst() -> Element? {
    guard let first = elements.first, let last = elements.popLast() else { return nil }
    if !elements.isEmpty {
      elements[0] = last
      sink(from: 0)
    }
    return first
  }

  private mutating func sink(from start: Int) {
    var parent = start
    while true {
      var smallest = parent
      let left = 2 * parent + 1
      if left < elements.count, elements[left] < elements[smallest] { smallest = left }
      if left + 1 < elements.count, elements[left + 1] < elements[smallest] { smallest = left + 1 }
      guard smallest != parent else { return }
      elements.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
