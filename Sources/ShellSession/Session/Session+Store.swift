import Foundation
package import Networking
import Persistence
import SystemCalls

/// Storage that persists from one session to the next; the first use of a member opens the file.
extension Session {
  /// The virtual clock uses a store in memory: it neither reads nor writes data of other sessions.
  private var store: SQLiteStore { isVirtual ? memoryStore : fileStore }

  package var tagStore: any TagStore { store.tags }
  package var quoteStore: any QuoteStore { store.quotes }
  package var responseCache: any ResponseCache { store.responses }

  /// Whether the store's file exists; does not create it.
  package var keepsSomething: Bool { store.path.map { access($0.forSystem, F_OK) == 0 } ?? false }

  /// Performs maintenance of the file, if it was opened.
  package func closeStore() {
    fileStore.close()
    memoryStore.close()
  }
}
