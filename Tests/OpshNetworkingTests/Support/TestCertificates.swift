import PracticeServer

/// Certificates for servers that clients must not trust, and the one of their issuer.
///
/// All have the same key; `openssl ca` made them.
enum TestCertificates {
  /// The issuer of the others; valid until 2120.
  static let issuer = """
    -----BEGIN CERTIFICATE-----
    MIIBVzCB/6ADAgECAgEQMAoGCCqGSM49BAMCMBsxGTAXBgNVBAMMEG9wc2ggdGVz
    dCBpc3N1ZXIwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBsxGTAX
    BgNVBAMMEG9wc2ggdGVzdCBpc3N1ZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
    AATggVVFbE9Iy94kJZ4/yYQetgpF4LMWDRd3cfQB6yy89pCxI3wn+8s8+DRc77PY
    7Jr9NTLJSGPxkcWZBUqAsDxGozIwMDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQW
    BBTsJp3ZTXfsb0TgtpI2XjHxvVp1LjAKBggqhkjOPQQDAgNHADBEAiACZ64cgSPl
    eZokn/CjjzF4pgQkOqiwFYhfXsk3NAnE4gIgI3LnYNnt9LGq9VPmcvae+nYZIsMa
    DuSvE+cLeXHJFbY=
    -----END CERTIFICATE-----

    """

  /// For `localhost`, valid until 2120.
  static let valid = """
    -----BEGIN CERTIFICATE-----
    MIIBeDCCAR6gAwIBAgIBETAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBvcHNoIHRl
    c3QgaXNzdWVyMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAUMRIw
    EAYDVQQDDAlvcHNoIHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAThKa/C
    1DDkwEvkynQUylkShUnBGNYI+HI42hws+YdgTDPsN6Kv2qOB0Vg5UU/ScZRdM4da
    Mb3+mfpHxKIIoKx2o1gwVjAUBgNVHREEDTALgglsb2NhbGhvc3QwHQYDVR0OBBYE
    FNb4pZtbjykk4yN6FPL3slTRO1SwMB8GA1UdIwQYMBaAFOwmndlNd+xvROC2kjZe
    MfG9WnUuMAoGCCqGSM49BAMCA0gAMEUCIQD84uooW77i0WnbOBzoL14eKAgWxhs3
    1PKRm85pfTZN+wIgN+xRloAQoqtKBTxDRtA638HIFrNF/qFVJsbnTnquo+k=
    -----END CERTIFICATE-----

    """

  /// For `localhost`, valid in the year 2000.
  static let expired = """
    -----BEGIN CERTIFICATE-----
    MIIBdzCCARygAwIBAgIBEjAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBvcHNoIHRl
    c3QgaXNzdWVyMB4XDTAwMDEwMTAwMDAwMFoXDTAxMDEwMTAwMDAwMFowFDESMBAG
    A1UEAwwJb3BzaCB0ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE4SmvwtQw
    5MBL5Mp0FMpZEoVJwRjWCPhyONocLPmHYEwz7Deir9qjgdFYOVFP0nGUXTOHWjG9
    /pn6R8SiCKCsdqNYMFYwFAYDVR0RBA0wC4IJbG9jYWxob3N0MB0GA1UdDgQWBBTW
    +KWbW48pJOMjehTy97JU0TtUsDAfBgNVHSMEGDAWgBTsJp3ZTXfsb0TgtpI2XjHx
    vVp1LjAKBggqhkjOPQQDAgNJADBGAiEA8VB+esiVZEmn1C3p1pSZyNpVQScn/16v
    qG2H/BOmhZUCIQCgrgpeGxtyeRL5NzK06kUjEBqNDCJopNJRndd2pew3Cg==
    -----END CERTIFICATE-----

    """

  /// For `localhost`, valid from 2100 on.
  static let future = """
    -----BEGIN CERTIFICATE-----
    MIIBeTCCASCgAwIBAgIBEzAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBvcHNoIHRl
    c3QgaXNzdWVyMCIYDzIxMDAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQx
    EjAQBgNVBAMMCW9wc2ggdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOEp
    r8LUMOTAS+TKdBTKWRKFScEY1gj4cjjaHCz5h2BMM+w3oq/ao4HRWDlRT9JxlF0z
    h1oxvf6Z+kfEogigrHajWDBWMBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAdBgNVHQ4E
    FgQU1vilm1uPKSTjI3oU8veyVNE7VLAwHwYDVR0jBBgwFoAU7Cad2U137G9E4LaS
    Nl4x8b1adS4wCgYIKoZIzj0EAwIDRwAwRAIgWbKvsSDUhx2dtpBX6/5C+4H4zcwU
    yBtKc8wQJcGH1w8CIGiIX1WQcAWVYBTrwcbMg1XfS8E1hENsnZONBpAw/6pm
    -----END CERTIFICATE-----

    """

  /// For `other.invalid`, valid until 2120.
  static let otherHost = """
    -----BEGIN CERTIFICATE-----
    MIIBfDCCASKgAwIBAgIBFDAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBvcHNoIHRl
    c3QgaXNzdWVyMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAUMRIw
    EAYDVQQDDAlvcHNoIHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAThKa/C
    1DDkwEvkynQUylkShUnBGNYI+HI42hws+YdgTDPsN6Kv2qOB0Vg5UU/ScZRdM4da
    Mb3+mfpHxKIIoKx2o1wwWjAYBgNVHREEETAPgg1vdGhlci5pbnZhbGlkMB0GA1Ud
    DgQWBBTW+KWbW48pJOMjehTy97JU0TtUsDAfBgNVHSMEGDAWgBTsJp3ZTXfsb0Tg
    tpI2XjHxvVp1LjAKBggqhkjOPQQDAgNIADBFAiEAtZ4p04X7fPdEL53M0Ro+w+J2
    1OucMN5v7tklahRXHKECICa7W6f7hsrcS2YEZSFluPbrvLji1YK7QKO8wtjkhncF
    -----END CERTIFICATE-----

    """

  /// For `localhost`, signed by itself, valid until 2126.
  static let selfSigned = """
    -----BEGIN CERTIFICATE-----
    MIIBlTCCATugAwIBAgIUJT92LqNCQjolTbpdkHnfK3w3xWkwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNDEzMzY1NVoYDzIxMjYxMDMx
    MTMzNjU1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAAThKa/C1DDkwEvkynQUylkShUnBGNYI+HI42hws+YdgTDPsN6Kv2qOB
    0Vg5UU/ScZRdM4daMb3+mfpHxKIIoKx2o2kwZzAdBgNVHQ4EFgQU1vilm1uPKSTj
    I3oU8veyVNE7VLAwHwYDVR0jBBgwFoAU1vilm1uPKSTjI3oU8veyVNE7VLAwDwYD
    VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
    SAAwRQIgOJNGgVeLU00tfI7ir+7qcbN8VBEWf3Lvz/0fK+7xm/YCIQDlTUzxSmHh
    2eAV64gGMqSQwENGb4wRWP1NNnsxea2Q0A==
    -----END CERTIFICATE-----

    """

  static let privateKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNY/EvucpATRjMFTu
    6MqwOMuAAiUm4593j9CCD9e0Y0uhRANCAAThKa/C1DDkwEvkynQUylkShUnBGNYI
    +HI42hws+YdgTDPsN6Kv2qOB0Vg5UU/ScZRdM4daMb3+mfpHxKIIoKx2
    -----END PRIVATE KEY-----

    """

  /// A key with the pass phrase `opsh`.
  static let encryptedKey = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhEDRRS0mIQUwICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEL58KXzh58dUGSv6ba8JG34EgZCH
    a5WvBeFfutj3S+/UUp/NN09mbv90Ftzs4IkBmN72AykcTHR3UkSDiDNvaZ90lhJK
    Wq2sLkxtFOam5nrS1QOMQTgOchoAiKELY0uBDRCjLTYs4wjTpfeBvkBX0qgCoHgY
    robankfVxANRZaNnZ7qT8jjTtN3EyH6UL5vjAgrsCUY2cmqw6YytQRUhhZK+nJk=
    -----END ENCRYPTED PRIVATE KEY-----

    """

  /// A server with one of the certificates.
  static func server(_ certificate: String) -> PracticeServer {
    PracticeServer(identity: TLSIdentity(certificate: certificate, privateKey: privateKey))
  }
}
