/// What a handler finds on the terminal when it runs: the line being typed, or `watch`.
///
/// A handler may take long, and the events of that time are shown as they happen.
package protocol LiveScreen: AnyObject {
  /// Draws what is new, at most once per frame.
  ///
  /// Called on the interpreter's thread again and again while a statement of a handler runs or waits.
  func drawDue()
}
