import OpshHTTPServing
import OpshLocking
import SessionServer
import ShellLanguage
import ShellSession

/// The session that is shown to browsers: the one that runs now, of those that take the place of one
/// another.
final class ServedSession: SessionServing {
  private struct Shown {
    let run: Run
    let jobs: Jobs
    weak var host: (any CommandHost)?
    /// How many sessions were shown before.
    var number = 0
    /// What has happened, in words; nil of the first.
    var notice: String?
  }

  private let shown: Locked<Shown>
  let server: LiveServer

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - invocation: The call of `serve`.
  ///   - port: The port, or 0 for any that is free.
  ///   - address: The address for readers; nil for none.
  /// - Throws: `address-in-use` and the like.
  init(_ invocation: Invocation, port: UInt16, address: String?) throws(HTTPServingError) {
    let secrets = invocation.screen.secrets
    let shown = Locked(
      Shown(run: invocation.run, jobs: invocation.jobs, host: invocation.context.host))
    self.shown = shown
    let page = LivePage(
      SessionPage.html(lines: nil), policy: SessionPage.contentSecurityPolicy(isLive: true))
    server = try LiveServer(
      page: page, port: port, address: address,
      makeLines: {
        let now = shown.withLock { $0 }
        return SessionLines(of: now.run, now.jobs, notice: now.notice) {
          shown.withLock { $0.number == now.number }
        }
      },
      perform: { action, ticket in
        shown.withLock { $0.jobs }.eventHandlers.post(
          EventHandlers.Note {
            let now = shown.withLock { $0 }
            guard let host = now.host else { return }
            try action.run(
              in: now.run, now.jobs, masking: secrets, host: host, answering: ticket)
          })
      })
  }

  var isSteered: Bool { server.isSteered }

  func goOn(in run: Run, _ jobs: Jobs, because reason: String, host: any CommandHost) {
    shown.withLock { shown in
      shown = Shown(run: run, jobs: jobs, host: host, number: shown.number + 1, notice: reason)
    }
  }

  func end(status: Int32?) { server.end(status: status) }
}
