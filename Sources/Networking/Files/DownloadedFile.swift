/// Tells what a download left on the disk.
public struct DownloadedFile: Sendable, Equatable {
  /// Where the file is, as it was asked for.
  public var path: String
  /// How long it is.
  public var size: Int
  /// The head of the response that it came with.
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
