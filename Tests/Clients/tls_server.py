"""Answers each request over TLS, and is strict or old in one way.

    tls_server.py CERTIFICATE KEY MODE ISSUER

MODE is TLSv1, TLSv1_1, TLSv1_2 or TLSv1_3 for a server of that version alone; with '+client' after
it, the server requires a client certificate of the issuer in the file ISSUER. The first line that it
prints is its port.
"""

import socket
import ssl
import sys
import threading
import warnings

certificate, key, mode, issuer = sys.argv[1:5]
version, _, wants_client = mode.partition("+")
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion[version]
if wants_client:
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(issuer)
listener = socket.create_server(("127.0.0.1", 0))


def serve(connection):
    """Answers one request."""
    client = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
    client.settimeout(20)
    with client:
        try:
            client.do_handshake()
            client.recv(65536)
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        except OSError:
            # What has come is read, past TLS, so that closing does not reset the connection.
            try:
                while socket.socket.recv(client, 65536):
                    pass
            except OSError:
                pass


print(listener.getsockname()[1], flush=True)
while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
