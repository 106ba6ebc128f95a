import Networking
import ShellLanguage
import ShellOutput
import ShellSession

extension RequestParameters {
  static let cookies = Option<String?>(
    "cookies", .file,
    help: "file of cookies to send and to keep, as of curl and wget; created if it is missing")
}

extension Invocation {
  /// The cookies that the call asks for, as the file has them now.
  func readCookies() throws -> CookieJar? {
    let option = RequestParameters.cookies
    guard let path = call[option] else { return nil }
    try refuseHeader("Cookie", with: option)
    do {
      return try session.network.cookieJar(at: session.place(of: path))
    } catch let error as CookieFileError {
      throw call.failure(ErrorCatalog.page(for: error.code), error.message, at: option)
    } catch let error as FileError {
      throw call.failure(.file(error.number), error.message, at: option)
    }
  }
}
