import PracticeServer
import Testing

/// A test certificate for `localhost` and `service.opsh.invalid`, which clients reject unless they
/// are configured to trust it.
enum TestIdentity {
  /// Valid for a hundred years, and not for `127.0.0.1`.
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBdzCCAR2gAwIBAgIBAjAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlvcHNoIHRl
    c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
    CW9wc2ggdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOEpr8LUMOTAS+TK
    dBTKWRKFScEY1gj4cjjaHCz5h2BMM+w3oq/ao4HRWDlRT9JxlF0zh1oxvf6Z+kfE
    ogigrHajXjBcMCoGA1UdEQQjMCGCCWxvY2FsaG9zdIIUc2VydmljZS5vcHNoLmlu
    dmFsaWQwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQU1vilm1uPKSTjI3oU8vey
    VNE7VLAwCgYIKoZIzj0EAwIDSAAwRQIgF/y6+MdYitIiS/qdJRdxnz+jxZTJvsls
    SsXxijGIwN0CIQDvrj1oj9Jje1cT8cvhXyZ+5BXVTLlVH5layay4HNsf8A==
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

  /// Whether the practice server's TLS library works on this machine.
  static let canServe: Bool = {
    let server = PracticeServer(identity: identity)
    defer { server.stop() }
    return (try? server.start()) != nil
  }()

  static let skipReason: Comment = "libmicrohttpd is built without TLS here"
}
