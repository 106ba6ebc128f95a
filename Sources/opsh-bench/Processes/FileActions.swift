import Foundation

/// What a child's descriptors are to be.
final class FileActions {
  private var actions = posix_spawn_file_actions_t()

  init() {
    posix_spawn_file_actions_init(&actions)
  }

  deinit {
    posix_spawn_file_actions_destroy(&actions)
  }

  func open(_ descriptor: Int32, _ path: String, _ flags: Int32) {
    posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0)
  }

  func use(_ other: Int32, as descriptor: Int32) {
    posix_spawn_file_actions_adddup2(&actions, other, descriptor)
  }

  func close(_ descriptor: Int32) {
    posix_spawn_file_actions_addclose(&actions, descriptor)
  }

  func withActions<Result>(
    _ body: (UnsafePointer<posix_spawn_file_actions_t>) -> Result
  ) -> Result {
    withUnsafePointer(to: &actions, body)
  }
}
