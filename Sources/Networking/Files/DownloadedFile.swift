/// The result of a download.
public struct DownloadedFile: Sendable, Equatable {
  /// The path of the file, as it was requested.
  public var path: String
  /// Its size.
  public var size: Int
  /// The head of the response.
  public var head: HTTPResponseHead

  /// Creates a description.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - size: How long it is.
  ///   - head: The head of the response.
  public init(path: String, size: Int, head: HTTPResponseHead) {
    self.path = path
    self.size = size
    self.head = head
  }
}
