/// What is wrong with the certificate that the practice server shows on a port of its own.
///
/// A fault sends requests to that port. Clients find the mistake, and no other, if they trust
/// ``PracticeServer/issuerCertificate``.
public enum CertificateMistake: Sendable, CaseIterable {
  /// It has expired.
  case expired
  /// It is for another host.
  case wrongHost

  /// What a server shows that makes the mistake.
  var identity: TLSIdentity {
    switch self {
    case .expired: TLSIdentity(certificate: Self.expiredCertificate, privateKey: Self.privateKey)
    case .wrongHost: TLSIdentity(certificate: Self.otherCertificate, privateKey: Self.privateKey)
    }
  }

  /// How far its port is from that of the server, where no port is opened.
  var inProcessOffset: UInt16 { self == .expired ? 1 : 2 }

  /// The certificate of the issuer, valid until 2120.
  ///
  /// Its key was not kept, so that it can issue no other than these.
  static let issuer = """
    -----BEGIN CERTIFICATE-----
    MIIBYTCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBRvcHNoIHBy
    YWN0aWNlIHNlcnZlcjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFow
    HzEdMBsGA1UEAwwUb3BzaCBwcmFjdGljZSBzZXJ2ZXIwWTATBgcqhkjOPQIBBggq
    hkjOPQMBBwNCAARN4SzKuL4oi7BIA4YYK8CBqm+E2qOoH1RyTmBl42ZYYiH+lEkx
    UILkjsP/xo7kSb47chUxAGgO0JM9VUofQs/cozIwMDAPBgNVHRMBAf8EBTADAQH/
    MB0GA1UdDgQWBBRq4smcDXmGnqxjD+LegFToqqESfTAKBggqhkjOPQQDAgNIADBF
    AiAXm53PNiYXmv+KuMh7jdz/YoIRTMnw2OFZDkUcjSTgFAIhAPHZ+10pztLz8Bkg
    dgFaZxZjr6iWk6upoBfdnsiXrbI9
    -----END CERTIFICATE-----

    """

  /// For `localhost` and `127.0.0.1`, valid in the year 2020.
  private static let expiredCertificate = """
    -----BEGIN CERTIFICATE-----
    MIIBgDCCASagAwIBAgIBAjAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBRvcHNoIHBy
    YWN0aWNlIHNlcnZlcjAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMBQx
    EjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJ4c
    8wUDiEqAEsK4LCGhL75xZFxwMMqggNu1syZngDnhqBLzgtAul/KwIZ/ZBSOcizBK
    Ew/eOh7om2ooZt2nc6qjXjBcMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAd
    BgNVHQ4EFgQUOI/8+Y7jCCADBmKtTpMqh/3awO8wHwYDVR0jBBgwFoAUauLJnA15
    hp6sYw/i3oBU6KqhEn0wCgYIKoZIzj0EAwIDSAAwRQIgONiywAtjebrw7Yl2Mgdv
    H7tkwJOdDYK22xFDem9wtckCIQDn8tZ9GZKCVfiIxSBmp7j5zR/JPnB84QUfAtEu
    X1QbmA==
    -----END CERTIFICATE-----

    """

  /// For `other.invalid`, valid until 2120.
  private static let otherCertificate = """
    -----BEGIN CERTIFICATE-----
    MIIBgzCCASqgAwIBAgIBAzAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBRvcHNoIHBy
    YWN0aWNlIHNlcnZlcjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFow
    GDEWMBQGA1UEAwwNb3RoZXIuaW52YWxpZDBZMBMGByqGSM49AgEGCCqGSM49AwEH
    A0IABJ4c8wUDiEqAEsK4LCGhL75xZFxwMMqggNu1syZngDnhqBLzgtAul/KwIZ/Z
    BSOcizBKEw/eOh7om2ooZt2nc6qjXDBaMBgGA1UdEQQRMA+CDW90aGVyLmludmFs
    aWQwHQYDVR0OBBYEFDiP/PmO4wggAwZirU6TKof92sDvMB8GA1UdIwQYMBaAFGri
    yZwNeYaerGMP4t6AVOiqoRJ9MAoGCCqGSM49BAMCA0cAMEQCIAFFUh3obwlhZFdn
    sKR9WNh6f2ybKVCFZJINRm5Ri9UlAiBsW6JsvfA66DDud3qMdlvuUdP+S2wmGuqE
    My2ANW6JsQ==
    -----END CERTIFICATE-----

    """

  /// The key of both, which is not secret: no client accepts them.
  private static let privateKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfdg3O9PNedgMfNG4
    VzgNnjwaB+dz9i4pkhYrLZFCVF2hRANCAASeHPMFA4hKgBLCuCwhoS++cWRccDDK
    oIDbtbMmZ4A54agS84LQLpfysCGf2QUjnIswShMP3joe6JtqKGbdp3Oq
    -----END PRIVATE KEY-----

    """
}
