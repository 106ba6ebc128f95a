import BuildCommands
import InspectCommands
package import ShellSession
import SteerCommands
import ViewCommands
import WorldCommands

extension ObjectKind {
  /// Every kind with its keys, in the order of the reference page.
  package static let all: [ObjectKind] = [
    why, attempt, stats, threads, timeline, blame, tree, deps, graph, diagram, doctor, order, route,
    next, back, quote, tag, cache, server, fault, request, endpoint, setting, line, recording,
    serve,
  ]
}
