import Networking
import Persistence

/// What is kept from one session to the next; the file is opened by the first call of any of these.
extension Session {
  var tagStore: any TagStore { store.tags }
  var quoteStore: any QuoteStore { store.quotes }
  var responseCache: any ResponseCache { store.responses }

  /// Tidies the file up, if it was opened.
  func closeStore() {
    store.close()
  }
}
