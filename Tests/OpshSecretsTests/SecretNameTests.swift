import OpshSecrets
import Testing

@Suite("Names of secrets")
struct SecretNameTests {
  @Test(
    "The same names are secret in headers, addresses and bodies",
    arguments: [
      "password", "passwd", "pwd", "secret", "client_secret", "clientSecret", "token",
      "access_token", "accessToken", "refresh_token", "api_key", "apikey", "apiKey", "key", "sig",
      "signature", "X-Amz-Signature", "X-Amz-Security-Token", "jwt", "Authorization",
      "Proxy-Authorization", "X-Auth", "X-Auth-Token", "X-Auth-Key", "X-Api-Key", "Cookie",
      "Set-Cookie", "X-Parse-REST-API-Key", "X-Parse-Master-Key", "X-Session-Id", "session", "sid",
      "Private-Token", "oauth_verifier", "X-Hub-Signature-256", "userPassword", "AWSSecretKey",
      "Authentication", "X-Authentication", "password1", "password2", "new_password_2", "token2",
      "Cookie2", "Set-Cookie2", "md5token", "apiKey2", "auth2Token", "OAuth2Token",
    ])
  func secret(name: String) {
    for place in [SecretName.Place.header, .address, .body] {
      for name in [name, name.uppercased(), name.lowercased()] {
        #expect(SecretName.isSecret(name, in: place), "\(name)")
        #expect(SecretName.isSecret(utf8: Array(name.utf8)[...], in: place), "\(name)")
      }
    }
  }

  @Test(
    "Names that only look similar are not secret",
    arguments: [
      "WWW-Authenticate", "Proxy-Authenticate", "Surrogate-Key", "Keyboard", "keywords", "monkey",
      "X-Author", "Authority", "max_tokens", "tokens", "page_token", "nextPageToken", "design",
      "Idempotency-Key", "Sec-WebSocket-Key", "Public-Key", "X-Parse-Application-Id", "side",
      "signal", "passwordless", "Accept", "site", "pagesize", "tagged", "secretary", "",
      "Authentication-Info", "Authenticate", "page_token2", "code2", "404", "1234", "sha256",
    ])
  func plain(name: String) {
    for place in [SecretName.Place.header, .address, .body] {
      #expect(!SecretName.isSecret(name, in: place), "\(name)")
      #expect(!SecretName.isSecret(utf8: Array(name.utf8)[...], in: place), "\(name)")
    }
  }

  @Test("A code is a secret in addresses only")
  func code() {
    #expect(SecretName.isSecret("code", in: .address))
    #expect(!SecretName.isSecret("code", in: .header))
    #expect(!SecretName.isSecret("code", in: .body))
    #expect(!SecretName.isSecret("country_code", in: .address))
  }

  @Test("A field with a person's name and a number is personal")
  func kinds() {
    for name in ["X-Authentication", "password1", "token2", "Cookie2"] {
      #expect(SecretName.kind(of: name, in: .header) == .person, "\(name)")
    }
    // In capitals the last one begins a word.
    for name in ["DBPassphrase", "masterkey", "X-Parse-Masterkey"] {
      #expect(SecretName.kind(of: name, in: .body) == .person, "\(name)")
    }
    #expect(SecretName.kind(of: "api_key_2", in: .address) == .program)
    #expect(SecretName.kind(of: "code", in: .address) == .program)
  }
}
