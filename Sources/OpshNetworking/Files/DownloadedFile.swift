/// The result of a download.
public struct DownloadedFile: Sendable, Equatable {
  /// The path of the file, as it was requested.
  public var path: String
  /// Its size.
  public var size: Int
  /// The head of the response.
  public var head: HTTPResponseHead
}
