// Results of this module are JSON values, so a client of it needs the module `JSON` too.
@_exported public import OpshJSON

extension JSONValue {
  /// Parses the body of a message.
  ///
  /// - Parameter body: JSON text in UTF-8.
  /// - Throws: `NetworkError.serialization`, which says what is wrong and at which byte.
  public init(body: [UInt8]) throws(NetworkError) {
    do throws(JSONError) {
      self = try JSONValue(parsing: body)
    } catch {
      throw .serialization(error.description)
    }
  }
}
