import Foundation
import OpshSupport

/// How times spread on one logarithmic scale: the small histograms of `stats`.
struct TimeSpread {
  private static let columns = 16
  private static let heights: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
  /// What is shorter counts as this long: a logarithm of nothing does not exist.
  private static let least = Duration.microseconds(1)

  private let shortest: Duration
  private let longest: Duration
  /// `1.7 ms to 2 s`.
  let title: String

  /// Creates the scale of some measurements.
  init(_ all: [SessionStatistics.Times]) {
    let times = all.flatMap(\.values).map(\.time)
    let (first, last) = (times.min() ?? .zero, times.max() ?? .zero)
    shortest = max(Self.least, first)
    longest = max(Self.least, last)
    title = first == last ? "spread" : "\(DurationText(first)) to \(DurationText(last))"
  }

  /// The measurements as bars, a column for those between two lengths; the highest is full.
  func bars(of times: SessionStatistics.Times) -> String {
    var counts = [Int](repeating: 0, count: Self.columns)
    for (time, count) in times.values { counts[column(of: time)] += count }
    guard let most = counts.max(), most > 0 else { return "" }
    while counts.last == 0 { counts.removeLast() }
    let bars = counts.map { count -> Character in
      guard count > 0 else { return " " }
      let height = Double(count) / Double(most) * Double(Self.heights.count)
      return Self.heights[min(Self.heights.count, max(1, Int(height.rounded(.up)))) - 1]
    }
    return String(bars)
  }

  private func column(of time: Duration) -> Int {
    guard longest > shortest else { return 0 }
    let share = log(max(Self.least, time) / shortest) / log(longest / shortest)
    return min(Self.columns - 1, max(0, Int(share * Double(Self.columns))))
  }
}
