/// A character on the screen, or several that share its place.
struct Cell: Equatable {
  var text: String
  var width: Int
  var style: TextStyle
  /// Control strings that are sent before and after it, and take no column.
  var marks = Marks()

  struct Marks: Equatable {
    var before = ""
    var after = ""
  }

  /// Whether terminals differ about the width, as they do for sequences of several scalars.
  var hasUncertainWidth: Bool {
    width > 0 && text.utf8.count > 1 && text.unicodeScalars.count > 1
  }

  /// Whether it is a letter with accents of their own, which take no column wherever they are shown.
  var isAccentedLetter: Bool {
    hasUncertainWidth
      && text.unicodeScalars.dropFirst().allSatisfy { scalar in
        scalar.properties.generalCategory == .nonspacingMark
          && !scalar.properties.isVariationSelector
      }
  }
}

extension [Cell] {
  /// The columns that the cells take together.
  var columns: Int { reduce(0) { $0 + $1.width } }
}
