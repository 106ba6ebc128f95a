import Foundation
import Networking
import Persistence

/// What is kept from one session to the next; the file is opened by the first call of any of these.
extension Session {
  /// On the virtual clock nothing of what earlier sessions left may show, nor be left to later ones.
  private var store: SQLiteStore { isVirtual ? memoryStore : fileStore }

  var tagStore: any TagStore { store.tags }
  var quoteStore: any QuoteStore { store.quotes }
  var responseCache: any ResponseCache { store.responses }

  /// Whether there is a file that something may be kept in; asking makes none.
  var keepsSomething: Bool { store.path.map { access($0, F_OK) == 0 } ?? false }

  /// Tidies the file up, if it was opened.
  func closeStore() {
    fileStore.close()
    memoryStore.close()
  }
}
