import Foundation
import OpshLocking
import OpshNetworking
import Operations
import OpshPersistence
import OpshSupport

/// One run of ours over the network, in a process of its own.
struct NetworkCase {
  /// Starts this program for one case.
  static let flag = "--network-case"

  enum Task: String {
    /// Many requests, each a whole operation on a queue; bodies are taken in and thrown away.
    case requests
    /// Many pages, each decoded and put into a store.
    case pages
    /// One large file.
    case download
    /// One large body that is the value of its request.
    case get
    /// One large file that is sent.
    case put
  }

  /// How many run at once.
  static let width = 16

  var task: Task
  var url: String
  var count: Int
  /// A folder to write to.
  var folder: String

  init(_ task: Task, url: String, count: Int, folder: String) {
    self.task = task
    self.url = url
    self.count = count
    self.folder = folder
  }

  init?(arguments: [String]) {
    guard arguments.count == 4, let task = Task(rawValue: arguments[0]),
      let count = Int(arguments[2])
    else { return nil }
    self.init(task, url: arguments[1], count: count, folder: arguments[3])
  }

  var arguments: [String] { [Self.flag, task.rawValue, url, String(count), folder] }

  /// Runs it in this process and prints a line per figure: its name and its value.
  func run() throws {
    let before = Self.peakMemory
    let start = ContinuousClock.now
    let failed =
      switch task {
      case .requests: try runRequests()
      case .pages: try runPages()
      case .download: try runDownload()
      case .get: try runOne(HTTPRequest(url: url))
      case .put: try runOne(upload())
      }
    let total = start.duration(to: .now).seconds
    guard failed == 0 else {
      Console.complain("\(failed) of \(count) failed")
      exit(1)
    }
    Console.print("total \(total)")
    Console.print("memory \(Double(Self.peakMemory - before) / 1e6)")
  }

  /// Is told whether an operation succeeded.
  private typealias Ended = @Sendable (_ isSuccess: Bool) -> Void

  /// Starts operations on a queue and waits for all of them; returns how many failed.
  private func runAll(
    _ make: (
      _ number: Int, _ engine: OperationEngine, _ transport: CurlTransport, _ ended: @escaping Ended
    )
      throws -> ObservableOperation
  ) throws -> Int {
    let engine = OperationEngine()
    let transport = CurlTransport(
      configuration: .init(maximumConcurrentTransfers: Self.width))
    let queue = InspectableQueue(
      name: "bench", maxConcurrentOperationCount: Self.width, engine: engine)
    // Their records are let go as they finish, so only failures are counted.
    let failures = Locked(0)
    let ended: Ended = { isSuccess in if !isSuccess { failures.withLock { $0 += 1 } } }
    for number in 0..<count {
      try queue.addOperation(try make(number, engine, transport, ended))
    }
    queue.waitUntilAllOperationsAreFinished()
    return failures.withLock { $0 }
  }

  private func runRequests() throws -> Int {
    try runAll { number, engine, transport, ended in
      DiscardingOperation(
        kind: "get", engine: engine, request: try HTTPRequest(url: "\(url)&page=\(number)"),
        transport: transport, completionHandler: { ended($0.isSuccess) })
    }
  }

  private func runPages() throws -> Int {
    let store = SQLiteStore(directory: folder)
    defer { store.close() }
    let responses = store.responses
    return try runAll { number, engine, transport, ended in
      PageOperation(
        engine: engine, request: try HTTPRequest(url: "\(url)&page=\(number)"),
        transport: transport,
        responses: responses, ended: ended)
    }
  }

  private func runDownload() throws -> Int {
    try runAll { _, engine, transport, ended in
      var options = RequestOptions()
      options.transfer.maximumBodySize = .max
      return DownloadOperation(
        engine: engine, request: try HTTPRequest(url: url), path: folder + "/ours",
        transport: transport, options: options, completionHandler: { ended($0.isSuccess) })
    }
  }

  private func runOne(_ request: HTTPRequest) throws -> Int {
    try runAll { _, engine, transport, ended in
      var options = RequestOptions()
      options.transfer.maximumBodySize = .max
      return HTTPOperation(
        engine: engine, request: request, transport: transport, options: options,
        completionHandler: { ended($0.isSuccess) })
    }
  }

  private func upload() throws -> HTTPRequest {
    var request = try HTTPRequest(method: "PUT", url: url)
    request.body = RequestBody([.file(try BodyFile(path: folder + "/files/large"))])
    return request
  }

  /// The most memory the process ever had, in bytes.
  private static var peakMemory: Int {
    // Not what `getrusage` says, which begins with the peak of the process that started this one.
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (Int(line.filter(\.isNumber)) ?? 0) * 1024
  }
}

/// Takes a body as it comes and keeps none of it, as `curl -o /dev/null` does.
private final class DiscardingOperation: NetworkOperation<Int>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.
  override var gathersBody: Bool { false }
  override var expandsBody: Bool { false }
  override func decode(_ response: HTTPResponse) -> Int { response.bytesReceived }
  override var requiresBody: Bool { false }
}

/// Decodes a page of questions and puts it into a store.
private final class PageOperation: NetworkOperation<Int>, @unchecked Sendable {
  // @unchecked because what it adds is constant.
  private let responses: any ResponseCache

  init(
    engine: OperationEngine, request: HTTPRequest, transport: any Transport,
    responses: any ResponseCache,
    ended: @escaping @Sendable (Bool) -> Void
  ) {
    self.responses = responses
    super.init(
      name: nil, kind: "page", engine: engine, request: request, transport: transport,
      completionHandler: { ended($0.isSuccess) })
  }

  override func decode(_ response: HTTPResponse) throws -> Int {
    let page = try QuestionsPage(decoding: response.body)
    let now = Date()
    if let refusal = try responses.store(
      response, for: request, requestedAt: now, receivedAt: now)
    {
      throw NetworkError.serialization("not stored: \(refusal)")
    }
    return page.items.count
  }
}

extension Result {
  fileprivate var isSuccess: Bool {
    if case .success = self { true } else { false }
  }
}
