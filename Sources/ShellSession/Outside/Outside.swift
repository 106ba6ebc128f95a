import Foundation
import OpshLocking
package import OpshNetworking
import Operations
import OpshPersistence
import PracticeServer
package import OpshProcesses
import OpshSupport
import OpshSystemCalls

/// What is outside of a session: the network and its services, the stored data, files, programs and
/// the environment.
///
/// It knows nothing of the session. Neither it nor what uses it asks the process for its folder or its
/// environment, so that each session has its own.
package final class Outside: Sendable {
  package let network: NetworkEnvironment
  let configuration: SessionConfiguration
  /// The store that persists from one session to the next; opened on first use.
  private let fileStore: SQLiteStore
  /// The store that ends with the session.
  private let memoryStore = SQLiteStore.inMemory()
  private let store: Locked<SQLiteStore>
  /// The files that statements read and write.
  package let files: SessionFiles
  /// The folders of the scripts that run, the innermost last.
  private let scriptFolders = Locked<[String]>([])

  /// Connects a session with what is outside; the server and the transport go by its clock.
  init(_ configuration: SessionConfiguration, clock: PacedClock) {
    self.configuration = configuration
    network = NetworkEnvironment(
      services: configuration.services, environment: configuration.environment,
      clock: clock)
    files = SessionFiles(directory: configuration.directory)
    fileStore = SQLiteStore(directory: configuration.storeDirectory)
    store = Locked(fileStore)
  }

  /// The variables of the environment.
  package var environment: [String: String] { configuration.environment }

  /// Where programs run.
  package var programPlace: ProgramPlace { configuration.programPlace }

  /// Connects a session with what is outside, and has a change of its speed wake it: a sleep until a
  /// time of the session takes longer or shorter then.
  convenience init(_ configuration: SessionConfiguration, following jobs: Jobs, _ wakeUp: WakeUp) {
    self.init(configuration, clock: jobs.engine.clock)
    jobs.engine.clock.onChange { [weak wakeUp] in wakeUp?.signal() }
  }

  // MARK: Stored data

  package var tagStore: any TagStore { store.withLock { $0 }.tags }
  package var quoteStore: any QuoteStore { store.withLock { $0 }.quotes }
  package var responseCache: any ResponseCache { store.withLock { $0 }.responses }

  /// Whether the store's file exists; does not create it.
  package var keepsSomething: Bool {
    store.withLock { $0 }.path.map { access($0.forSystem, F_OK) == 0 } ?? false
  }

  /// Performs maintenance of the file, if it was opened.
  package func closeStore() {
    fileStore.close()
    memoryStore.close()
  }

  /// Ends the network and closes the stores.
  func shutDown() {
    network.shutDown()
    closeStore()
    files.removeCopies()
  }

  // MARK: Without the world outside

  /// Answers requests inside the process, by the engine's virtual clock, and keeps data in memory.
  ///
  /// - Throws: `PracticeServerError` if the practice server already listens on a port.
  func detach(engine: OperationEngine) throws(PracticeServerError) {
    try network.useInProcessServer(engine: engine)
    files.keepContents()
    keepInMemory()
  }

  /// Goes by the clock of another engine, whose session takes the place of one on the virtual clock,
  /// with the settings of the practice server.
  func attach(to engine: OperationEngine) throws(PracticeServerError) {
    guard network.isLocal else { return }
    network.leaveInProcessServer()
    try network.useInProcessServer(engine: engine)
  }

  /// Returns to requests over the network, and to the store of the file.
  func attach() {
    network.leaveInProcessServer()
    store.withLock { $0 = fileStore }
  }

  /// Uses a store in memory, which neither reads nor writes data of other sessions.
  func keepInMemory() { store.withLock { $0 = memoryStore } }

  // MARK: The folders of scripts

  /// The folder that the paths of `source` are relative to; nil while no file runs.
  var scriptFolder: String? { scriptFolders.withLock { $0.last } }

  /// Runs a script that stands in a folder.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - run: Runs the script; it is called with the number of scripts that run inside each other.
  /// - Returns: What `run` returns.
  /// - Throws: What `run` throws.
  package func withScript<Result>(
    in folder: String, _ run: (_ depth: Int) throws -> Result
  ) rethrows -> Result {
    let depth = scriptFolders.withLock { folders in
      folders.append(folder)
      return folders.count
    }
    defer { scriptFolders.withLock { _ = $0.popLast() } }
    return try run(depth)
  }
}
