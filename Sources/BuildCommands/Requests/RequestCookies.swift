import CommandParts
import OpshNetworking
import ShellLanguage
import ShellOutput
import ShellSession

extension RequestParameters {
  static let cookies = Option<String?>(
    "cookies", .file,
    help: "file of cookies to send and to keep, as of curl and wget; created if it is missing"
  ).settingHeader("Cookie")
}

extension Invocation {
  /// The cookies that the call asks for, as the file has them now.
  func readCookies() throws -> CookieJar? {
    let option = RequestParameters.cookies
    guard let path = call[option] else { return nil }
    do {
      let jar = try outside.network.cookieJar(at: outside.place(of: path, for: .changing))
      warn(of: jar.takeFaults())
      return jar
    } catch let error as CookieFileError {
      throw call.failure(CodedPages.page(for: error.code), error.message, at: option)
    } catch let error as FileError {
      throw call.failure(.file(error.number), error.message, at: option)
    }
  }

  /// Warns of lines that are not cookies; a file of another kind could have thousands.
  private func warn(of faults: [CookieFileError]) {
    let most = 10
    for (index, fault) in faults.prefix(most).enumerated() {
      let more = index == most - 1 ? faults.count - most : 0
      var warning = call.failure(
        CodedPages.page(for: fault.code),
        fault.message + (more > 0 ? "; \(more) more lines are not cookies" : ""),
        at: RequestParameters.cookies, help: "the line is skipped, and stays in the file")
      warning.severity = .warning
      screen.report(warning)
    }
  }
}
