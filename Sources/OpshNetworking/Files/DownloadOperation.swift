import Foundation
import OpshLocking
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
/// The bytes go to a file in the same folder, with `.opsh-part` after its name, which replaces `path`
/// when it is complete; until then, and after a failure or a cancellation, an existing file is
/// unchanged. A server that sends faster than the disk writes is slowed down.
///
/// An attempt after one that broke off requests only the rest, if the server identified the version
/// of the file by a strong `ETag`, or by a `Last-Modified` that is old enough (RFC 9110, 13.1.5).
/// If the rest is not of that version, or is not what was requested, it begins again. Only a GET
/// request without a `Range` of its own is resumed.
///
/// What such an operation has when it fails or is cancelled, or its process is killed, is kept there
/// if the server told the version by an entity tag, which a small file beside it tells. The next
/// operation with the same address and path requests the rest. Both are removed when the path has a
/// complete file.
public final class DownloadOperation: NetworkOperation<DownloadedFile>, @unchecked Sendable {
  // @unchecked because what it adds is constant or locked.

  /// The path of the file.
  public let path: String
  /// Where the file is written, if that is not its path.
  private let place: String?
  private let isResumable: Bool
  private let download = Locked(Download())

  /// What the transfers of all attempts have come to.
  private struct Download {
    var file: PartialFile?
    /// What the present transfer requested the rest of; nil for all.
    var source: DownloadSource?
    /// The position from which it did; 0 for all.
    var start = 0
    /// The number of bytes that the file will have; nil if that is not known.
    var length: Int?
    /// Why the present transfer is of no use, and all must be requested.
    var mistake: String?
    /// Why the present transfer was stopped for good.
    var failure: NetworkError?
  }

  /// Creates an operation.
  ///
  /// - Parameters:
  ///   - name: Its name; nil for an automatic one.
  ///   - kind: Its kind.
  ///   - engine: Its engine, the one of its queue.
  ///   - request: The request; it is sent without compression, and the response may be as long as
  ///     the limit of the options.
  ///   - path: The path of the file.
  ///   - place: Where the file is written in the place of its path; nil for the path.
  ///   - transport: The transport for the request.
  ///   - options: The options of the request.
  ///   - pacing: The backoff to respect; nil for that in ``RequestPacer/shared``.
  ///   - completionHandler: Called with the result before the operation finishes.
  public init(
    name: String? = nil, kind: String = "download", engine: OperationEngine = .shared,
    request: HTTPRequest, path: String, place: String? = nil, transport: any Transport,
    options: RequestOptions = RequestOptions(), pacing: RequestPacing? = nil,
    completionHandler: (@Sendable (Result<DownloadedFile, any Error>) -> Void)? = nil
  ) {
    (self.path, self.place) = (path, place)
    isResumable =
      request.method == "GET" && request.headers["Range"] == nil
      && options.headers["Range"] == nil
    var request = request
    request.transfer.maximumBodySize = .max
    if request.headers["Accept-Encoding"] == nil {
      // Its length is known in advance, and the rest of it can be requested.
      try? request.headers.append("Accept-Encoding", "identity")
    }
    super.init(
      name: name, kind: kind, engine: engine, request: request, transport: transport,
      options: options, pacing: pacing ?? RequestPacing(pacer: .shared, request: request),
      completionHandler: completionHandler)
  }

  /// False: opening a file may take time.
  public override var beginsBriefly: Bool { false }

  /// Creates the file, and sends the request if that succeeds.
  public override func execute() {
    do throws(FileError) {
      if download.withLock({ $0.file }) == nil {
        // Weak, because the file belongs to the operation.
        let opened = try PartialFile(
          path: place ?? path, engine: engine, continuing: isResumable ? request.url : nil
        ) { [weak self] in self?.resumeReceiving() }
        download.withLock { $0.file = opened }
      }
    } catch {
      finish(.failure(error))
      return
    }
    super.execute()
    // The operation may have been cancelled before the file existed.
    if isCancelled { transferDidEnd() }
  }

  /// Requests only the remaining bytes if an earlier transfer has received the beginning.
  override func adjusted(_ request: HTTPRequest) -> HTTPRequest {
    download.withLock { download in
      (download.start, download.source) = (0, nil)
      (download.mistake, download.failure) = (nil, nil)
      guard let (source, count) = download.file?.beginning else { return request }
      var request = request
      do throws(NetworkError) {
        try request.headers.set("Range", "bytes=\(count)-")
        try request.headers.set("If-Range", source.validator)
        try request.headers.set("Accept-Encoding", "identity")
        (download.start, download.source) = (count, source)
        return request
      } catch {
        return request
      }
    }
  }

  /// Decides whether the response is the rest, or all.
  public override func decide(on head: HTTPResponseHead) -> TransferDisposition {
    guard acceptableStatus.contains(head.status) else { return .proceed }
    let (start, source, file) = download.withLock { ($0.start, $0.source, $0.file) }
    if head.status == 206, start > 0, let source {
      return decide(onRest: head, of: source, from: start)
    }
    guard head.status != 206 || !isResumable else {
      download.withLock { $0.failure = .badResponse("it is a part, and all was requested") }
      return .stop
    }
    // Also where the rest was requested: the server has another version, or sends no parts.
    file?.empty(for: isResumable ? DownloadSource(head, now: engine.date) : nil)
    download.withLock { ($0.source, $0.start, $0.length) = (nil, 0, nil) }
    if start > 0 { noteProgress(reason: "begins again: the server sends the whole file") }
    return .proceed
  }

  private func decide(
    onRest head: HTTPResponseHead, of source: DownloadSource, from start: Int
  ) -> TransferDisposition {
    if let mistake = source.mistake(in: head, from: start) {
      download.withLock { $0.mistake = mistake }
      return .stop
    }
    let length = source.length(from: head)
    download.withLock { $0.length = length }
    requestState.withLock { $0.resumedAt = start }
    noteProgress(reason: "resumes at byte \(start)\(length.map { " of \($0)" } ?? "")")
    return .proceed
  }

  /// Requests all, if the response is not the rest that was requested, or there is no such rest.
  override func mustRepeat(after head: HTTPResponseHead) -> Bool {
    let (reason, file) = download.withLock { download -> (String?, PartialFile?) in
      guard download.start > 0 else { return (nil, nil) }
      let refusal = head.status == 416 ? "the server does not have the rest" : nil
      guard let reason = download.mistake ?? refusal else { return (nil, nil) }
      return (reason, download.file)
    }
    guard let reason else { return false }
    file?.empty(for: nil)
    noteProgress(reason: "begins again: \(reason)")
    return true
  }

  /// Writes a part of the body.
  public override func receive(_ piece: [UInt8]) -> TransferDisposition {
    let limit = options.transfer.maximumBodySize
    let file = download.withLock { download -> PartialFile? in
      // The limit of the transport is for one transfer, and this is one for the file.
      guard download.start > 0, let count = download.file?.count, piece.count > limit - count else {
        return download.file
      }
      download.failure = .tooLarge(.body, limit: limit)
      return nil
    }
    return file?.write(piece) ?? .stop
  }

  /// Moves the file to its path; throws `FileError` if that fails.
  public override func decode(_ response: HTTPResponse) throws -> DownloadedFile {
    let (file, length, failure) = download.withLock { ($0.file, $0.length, $0.failure) }
    if let failure { throw failure }
    guard let file else { throw NetworkError.missingData }
    // A file that could not be written says so itself.
    if let length, file.count != length, !file.hasFailed {
      file.empty(for: nil)
      throw NetworkError.badResponse("with its rest the file has \(file.count) bytes of \(length)")
    }
    let size = try file.finish()
    return DownloadedFile(path: path, size: size, head: response.head)
  }

  /// Keeps what has come for a later download, or removes it, unless it has been moved to its path.
  public override func transferDidEnd() {
    let (file, hasFailed) = download.withLock { ($0.file, $0.failure != nil) }
    guard let file else { return }
    guard !hasFailed, !isTooLarge else { return file.discard() }
    guard let count = file.keep() else { return }
    noteProgress(
      reason: "keeps \(ByteCount(count).description) as \(fileName + KeptPart.ending), for a later "
        + "download")
  }

  private var isTooLarge: Bool {
    let error = requestState.withLock { $0.attempts.kept.last?.error }
    return if case .tooLarge? = error as? NetworkError { true } else { false }
  }

  /// Describes a file by its name, and the position at which it was resumed.
  public override func describe(_ value: DownloadedFile) -> String? {
    fileName + (resumedAt.map { ", resumed at byte \($0)" } ?? "")
  }

  private var fileName: String {
    printable(path.split(separator: "/").last.map(String.init) ?? path)
  }

  override var outputFile: String? { path }

  /// False: the body is only written.
  public override var gathersBody: Bool { false }

  /// Whether the file is to be what the server has encoded: one that is to be compressed itself, by its
  /// name, stays as it comes.
  ///
  /// Some servers call the compression of a `.tar.gz` its encoding. Browsers save it unchanged as well.
  public override var expandsBody: Bool {
    let name = path.lowercased()
    return ![".gz", ".tgz", ".svgz"].contains { name.hasSuffix($0) }
  }

  /// Saving: the value is the file, which is moved to its path.
  public override var lastPhase: OperationPhase { .saving }

  /// False: an empty file is valid.
  public override var requiresBody: Bool { false }
}
