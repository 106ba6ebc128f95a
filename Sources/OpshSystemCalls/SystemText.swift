import Foundation

/// Texts of the system, which need not be UTF-8: names of files, arguments, environment variables.
///
/// A byte that is not part of UTF-8 becomes a character at the end of the private-use planes, U+10FF80
/// for 0x80 to U+10FFFF for 0xFF, and the byte again where the system gets the text. So does each byte
/// of such a character itself, so that every text comes back as it was.
extension String {
  private static let escapes = 0x10FF80...0x10FFFF as ClosedRange<UInt32>
  /// The value of a character less that of its byte.
  private static let offset: UInt32 = 0x10FF00

  /// Creates the text of some bytes of the system.
  package init(ofSystem bytes: some Collection<UInt8>) {
    // Nearly all texts, without looking up at run time how the collection is one.
    if case .some(let text?) = bytes.withContiguousStorageIfAvailable(Self.plainText) {
      self = text
      return
    }
    var scalars = String.UnicodeScalarView()
    var rest = bytes[...]
    while !rest.isEmpty {
      var iterator = rest.makeIterator()
      var parser = Unicode.UTF8.ForwardParser()
      var count = 1
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded):
        count = encoded.count
        let scalar = Unicode.UTF8.decode(encoded)
        if !Self.escapes.contains(scalar.value) {
          scalars.append(scalar)
          rest = rest.dropFirst(count)
          continue
        }
      case .error(let length): count = length
      case .emptyInput: break
      }
      scalars.append(
        contentsOf: rest.prefix(count).compactMap { Unicode.Scalar(Self.offset + UInt32($0)) })
      rest = rest.dropFirst(count)
    }
    self = String(scalars)
  }

  /// Returns the text of bytes that are UTF-8 and stand for no other bytes.
  private static func plainText(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
    // The byte is the first one of all characters that stand for bytes.
    bytes.contains(0xF4) ? nil : String(validating: bytes, as: UTF8.self)
  }

  /// Creates the text of a C string of the system.
  package init(ofSystem pointer: UnsafePointer<CChar>) {
    self.init(ofSystem: UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
  }

  /// The bytes that the system gets.
  package var systemBytes: [UInt8] {
    guard utf8.contains(0xF4) else { return Array(utf8) }
    return unicodeScalars.flatMap { scalar in
      Self.escapes.contains(scalar.value)
        ? [UInt8(scalar.value - Self.offset)] : Array(String(scalar).utf8)
    }
  }

  /// The C string that the system gets.
  package var forSystem: [CChar] { systemBytes.map(CChar.init(bitPattern:)) + [0] }
}

/// Returns the path of the working directory; `.` where the system can't tell.
package func workingDirectory() -> String {
  guard let path = getcwd(nil, 0) else { return "." }
  defer { free(path) }
  return String(ofSystem: path)
}

/// Returns the path without symbolic links; nil if there is nothing at the path.
package func resolvedPath(_ path: String) -> String? {
  guard let resolved = realpath(path.forSystem, nil) else { return nil }
  defer { free(resolved) }
  return String(ofSystem: resolved)
}

/// Returns the names in a folder, in no order.
///
/// - Parameters:
///   - path: The path of the folder.
///   - limit: After how many names to stop.
/// - Returns: The names without the folder itself and its parent; nil if it can't be read.
package func names(inFolder path: String, atMost limit: Int = .max) -> [String]? {
  guard let folder = opendir(path.forSystem) else { return nil }
  defer { closedir(folder) }
  var names: [String] = []
  while names.count < limit, let entry = readdir(folder) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) {
      String(ofSystem: $0.prefix { $0 != 0 })
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}
