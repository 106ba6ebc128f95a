import Foundation

/// The folder of this package, for tests that read its files.
public enum PackageFolder: Sendable {
  /// The path of the folder.
  public static let path: String = {
    // Tests/TestSupport/PackageFolder.swift
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { url.deleteLastPathComponent() }
    return url.path
  }()
}
