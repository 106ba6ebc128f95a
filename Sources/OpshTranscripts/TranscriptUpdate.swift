extension Transcript.Step {
  /// The updated expected output: matching lines stay as they were written.
  package func updated(to actual: [TranscriptLine]) -> [String] {
    let old = output.map(TranscriptLine.init)
    let pairs = Self.pairs(old, actual)
    return actual.enumerated().map { index, line in
      pairs[index].map { old[$0].text } ?? TranscriptLine.written(line.text)
    }
  }

  /// The old line for each new one, by the longest common subsequence.
  private static func pairs(_ old: [TranscriptLine], _ new: [TranscriptLine]) -> [Int: Int] {
    let same = Set(old.filter { !$0.isAnything }.map(\.masked))
    guard !same.isEmpty, old.count * new.count < 4_000_000 else { return [:] }
    var length = Array(
      repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
    func fits(_ first: Int, _ second: Int) -> Bool {
      !old[first].isAnything && old[first].accepts(new[second])
    }
    for first in old.indices.reversed() {
      for second in new.indices.reversed() {
        length[first][second] =
          fits(first, second)
          ? length[first + 1][second + 1] + 1
          : max(length[first + 1][second], length[first][second + 1])
      }
    }
    var (first, second) = (0, 0)
    var pairs: [Int: Int] = [:]
    while first < old.count, second < new.count {
      if fits(first, second) {
        pairs[second] = first
        first += 1
        second += 1
      } else if length[first + 1][second] >= length[first][second + 1] {
        first += 1
      } else {
        second += 1
      }
    }
    return pairs
  }
}

extension TranscriptLine {
  /// A line in the form it has in a file: masked, without trailing white space.
  package static func written(_ text: String) -> String {
    var line = mask(text)
    // The column of times is as wide as its content.
    let start = line.drop { $0 == " " }
    if start.hasPrefix("[time]") { line = String(start) }
    while line.last?.isWhitespace == true { line.removeLast() }
    // It would be taken for a typed line.
    if Transcript.isTyped(line) { line = anything + line }
    return line
  }
}
