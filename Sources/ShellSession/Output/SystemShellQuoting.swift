import OpshSupport

/// Quoting of words for the system's shell, as POSIX has it.
package enum SystemShellQuoting {
  /// Returns a word so that the system's shell reads it as it is.
  package static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || ("0"..."9").contains($0)
          || "_@%+=:,./-".contains(Character($0))
      }
    return isPlain ? word : "'" + word.replacing(scalars: ["'": "'\\''"]) + "'"
  }
}
