import PracticeServer
import Testing

/// A certificate of the tests' own for `localhost`, which nobody trusts by himself.
enum TestIdentity {
  /// Valid for a hundred years, and not for `127.0.0.1`.
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBYTCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlvcHNoIHRl
    c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
    CW9wc2ggdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOEpr8LUMOTAS+TK
    dBTKWRKFScEY1gj4cjjaHCz5h2BMM+w3oq/ao4HRWDlRT9JxlF0zh1oxvf6Z+kfE
    ogigrHajSDBGMBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAPBgNVHRMBAf8EBTADAQH/
    MB0GA1UdDgQWBBTW+KWbW48pJOMjehTy97JU0TtUsDAKBggqhkjOPQQDAgNIADBF
    AiA/GdadQGHSRLqlhvswCQwZiyHH4Tnl64h0GyJHvD25KgIhALbhe7UfpeGR6UHv
    G8SzEYakVIVzYAT8Hpt/FMcE7WkJ
    -----END CERTIFICATE-----

    """

  static let identity = TLSIdentity(certificate: certificate, privateKey: privateKey)

  static let privateKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNY/EvucpATRjMFTu
    6MqwOMuAAiUm4593j9CCD9e0Y0uhRANCAAThKa/C1DDkwEvkynQUylkShUnBGNYI
    +HI42hws+YdgTDPsN6Kv2qOB0Vg5UU/ScZRdM4daMb3+mfpHxKIIoKx2
    -----END PRIVATE KEY-----

    """

  /// Whether the library of the practice server can speak TLS here.
  static let canServe: Bool = {
    let server = PracticeServer(identity: identity)
    defer { server.stop() }
    return (try? server.start()) != nil
  }()

  static let skipReason: Comment = "libmicrohttpd is built without TLS here"
}
