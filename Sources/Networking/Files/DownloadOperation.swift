public import Foundation
import Locking
public import Operations

/// Makes a request and writes the body of the response to a file as it arrives.
///
/// ```swift
/// let request = try HTTPRequest(url: "https://example.org/big.iso")
/// let operation = DownloadOperation(request: request, path: "big.iso", transport: transport)
/// try queue.addOperation(operation)
/// let file = try await operation.value
/// ```
///
/// The bytes go to a temporary file in the same folder, which replaces `path` when it is complete;
/// until then, and after a failure or a cancellation, an existing file is unchanged. A server that
/// sends faster than the disk writes is slowed down.
public final class DownloadOperation: NetworkOperation<DownloadedFile>, @unchecked Sendable {
  // @unchecked because what it adds is constant or locked.

  /// The path of the file.
  public let path: String
  private let file = Locked<PartialFile?>(nil)

  /// Creates an operation of the kind `download`.
  ///
  /// - Parameters:
  ///   - name: Its name; nil for an automatic one.
  ///   - engine: Its engine, the one of its queue.
  ///   - request: The request; it is sent without compression, and the response may be as long as
  ///     the limit of the options.
  ///   - path: The path of the file.
  ///   - transport: The transport for the request.
  ///   - options: The options of the request.
  ///   - pacer: Stores the backoff that servers request.
  ///   - callbackQueue: The queue of the completion handler.
  ///   - completionHandler: Called with the result before the operation finishes.
  public init(
    name: String? = nil, engine: OperationEngine = .shared, request: HTTPRequest, path: String,
    transport: any Transport, options: RequestOptions = RequestOptions(),
    pacer: RequestPacer = .shared, callbackQueue: DispatchQueue? = nil,
    completionHandler: (@Sendable (Result<DownloadedFile, any Error>) -> Void)? = nil
  ) {
    self.path = path
    var request = request
    request.maximumBodySize = .max
    if request.headers["Accept-Encoding"] == nil {
      // The file is stored unchanged, and its length is known in advance.
      try? request.headers.append("Accept-Encoding", "identity")
    }
    super.init(
      name: name, kind: "download", engine: engine, request: request, transport: transport,
      options: options, pacing: RequestPacing(pacer: pacer, request: request),
      callbackQueue: callbackQueue, completionHandler: completionHandler)
  }

  /// False: opening a file may take time.
  public override var beginsBriefly: Bool { false }

  /// Creates the temporary file of an attempt, and sends the request if that succeeds.
  public override func execute() {
    do throws(FileError) {
      // Weak, because the file belongs to the operation.
      let opened = try PartialFile(path: path, engine: engine) { [weak self] in
        self?.resumeReceiving()
      }
      file.withLock { $0 = opened }
    } catch {
      finish(.failure(error))
      return
    }
    super.execute()
    // The operation may have been cancelled before the file existed.
    if isCancelled { file.withLock { $0 }?.discard() }
  }

  /// Writes a part of the body.
  ///
  /// - Parameter piece: The bytes.
  /// - Returns: Whether to continue.
  public override func receive(_ piece: [UInt8]) -> TransferDisposition {
    file.withLock { $0 }?.write(piece) ?? .stop
  }

  /// Moves the file to its path.
  ///
  /// - Parameter response: The response without its body.
  /// - Returns: The downloaded file.
  /// - Throws: `FileError` if it could not be written.
  public override func decode(_ response: HTTPResponse) throws -> DownloadedFile {
    guard let file = file.withLock({ $0 }) else { throw NetworkError.missingData }
    let size = try file.finish()
    return DownloadedFile(path: path, size: size, head: response.head)
  }

  /// Removes the temporary file, unless it has been moved to its path.
  public override func transferDidEnd() {
    file.withLock { $0 }?.discard()
  }

  /// Describes a file by its name.
  ///
  /// - Parameter value: The file.
  /// - Returns: Such as `big.iso`.
  public override func describe(_ value: DownloadedFile) -> String? {
    printable(value.path.split(separator: "/").last.map(String.init) ?? value.path)
  }

  /// False: the body is only written.
  public override var gathersBody: Bool { false }

  /// False: an empty file is valid.
  public override var requiresBody: Bool { false }
}
