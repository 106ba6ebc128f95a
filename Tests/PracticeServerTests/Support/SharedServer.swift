import PracticeServer

/// A server that runs as long as the tests do, for those that change nothing of it.
///
/// The data of a site takes a tenth of a second to make, and most tests only look at it.
enum SharedServer {
  static let server: PracticeServer = {
    let server = PracticeServer()
    // Without it, every test that asks for its port fails and says so.
    try? server.start()
    return server
  }()

  static var port: UInt16? { server.port }
}
