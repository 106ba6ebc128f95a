public import Foundation
import Locking
public import Operations

/// Makes a request and writes the body of its answer to a file as it comes.
///
/// ```swift
/// let request = try HTTPRequest(url: "https://example.org/big.iso")
/// let operation = DownloadOperation(request: request, path: "big.iso", transport: transport)
/// try queue.addOperation(operation)
/// let file = try await operation.value
/// ```
///
/// The bytes go to a temporary file in the same folder, which takes the place of `path` when it is
/// whole; until then, and after a failure or a cancel, whatever was there stays as it was. A
/// server that sends faster than the disk writes is held back.
public final class DownloadOperation: NetworkOperation<DownloadedFile>, @unchecked Sendable {
  // @unchecked because what it adds is constant or locked.

  /// Where the file is to be.
  public let path: String
  private let file = Locked<PartialFile?>(nil)

  /// Creates an operation of the kind `download`.
  ///
  /// - Parameters:
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - log: The log of its transitions.
  ///   - request: What to ask; it is asked for without compression, and may be of any length up
  ///     to the limit of the options.
  ///   - path: Where the file is to be.
  ///   - transport: What carries the request.
  ///   - options: How to ask.
  ///   - pacer: Remembers the pauses that servers ask for.
  ///   - callbackQueue: Where the completion handler is called.
  ///   - completionHandler: Is told the result, before the operation is seen as finished.
  public init(
    name: String? = nil, log: EventLog = .shared, request: HTTPRequest, path: String,
    transport: any Transport, options: RequestOptions = RequestOptions(),
    pacer: RequestPacer = .shared, callbackQueue: DispatchQueue? = nil,
    completionHandler: (@Sendable (Result<DownloadedFile, any Error>) -> Void)? = nil
  ) {
    self.path = path
    var request = request
    request.maximumBodySize = .max
    if request.headers["Accept-Encoding"] == nil {
      // A file is wanted as it is, and its length known beforehand.
      try? request.headers.append("Accept-Encoding", "identity")
    }
    super.init(
      name: name, kind: "download", log: log, request: request, transport: transport,
      options: options, pacing: RequestPacing(pacer: pacer, request: request),
      callbackQueue: callbackQueue, completionHandler: completionHandler)
  }

  /// False: opening a file may take its time.
  public override var beginsBriefly: Bool { false }

  /// Creates the temporary file, and sends the request if that can be.
  public override func execute() {
    do throws(FileError) {
      // Weak, because the file belongs to the operation.
      let opened = try PartialFile(path: path, log: log) { [weak self] in self?.resumeReceiving() }
      file.withLock { $0 = opened }
    } catch {
      finish(.failure(error))
      return
    }
    super.execute()
    // Cancelling may have come before there was a file.
    if isCancelled { file.withLock { $0 }?.discard() }
  }

  /// Throws away what an earlier attempt received.
  ///
  /// - Parameter number: The attempt.
  public override func attemptWillBegin(_ number: Int) {
    if number > 1 { file.withLock { $0 }?.restart() }
  }

  /// Writes a part of the body.
  ///
  /// - Parameter piece: The bytes.
  /// - Returns: Whether to go on.
  public override func receive(_ piece: [UInt8]) -> TransferDisposition {
    file.withLock { $0 }?.write(piece) ?? .stop
  }

  /// Puts the file in its place.
  ///
  /// - Parameter response: The response without its body.
  /// - Returns: What is there now.
  /// - Throws: `FileError` where it could not be written.
  public override func decode(_ response: HTTPResponse) throws -> DownloadedFile {
    guard let file = file.withLock({ $0 }) else { throw NetworkError.missingData }
    let size = try file.finish()
    return DownloadedFile(path: path, size: size, head: response.head)
  }

  /// Removes the temporary file, unless it has become the real one.
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

  /// False: an empty file is one, too.
  public override var requiresBody: Bool { false }
}
