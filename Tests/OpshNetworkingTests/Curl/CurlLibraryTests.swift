import Testing

@testable import OpshNetworking

@Suite("The curl library")
struct CurlLibraryTests {
  @Test("The error about a missing libcurl names its package")
  func missingLibrary() throws {
    guard case .failure(let error) = CurlLibrary.open(named: "libcurl-of-no-system.so.4") else {
      Issue.record("the library was opened")
      return
    }
    #expect(error.code == "transport-unavailable")
    #expect(error.message.contains("libcurl4"))
  }

  @Test("A library without curl's functions is rejected")
  func wrongLibrary() throws {
    guard case .failure(let error) = CurlLibrary.open(named: "libz.so.1") else {
      Issue.record("the library was accepted")
      return
    }
    #expect(error.message.contains("curl_"))
  }
}
