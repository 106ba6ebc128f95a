"""Speaks TLS in front of a server that does not, and changes nothing of what either side sends.

    tls_proxy.py CERTIFICATE KEY PORT

PORT is the server's. The first line that it prints is its own port.
"""

import select
import socket
import ssl
import struct
import sys
import threading

certificate, key, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
listener = socket.create_server(("127.0.0.1", 0))


def serve(connection):
    """Passes on what the two sides of a connection send, until the server's ends."""
    with socket.create_connection(("127.0.0.1", port)) as server:
        try:
            client = context.wrap_socket(connection, server_side=True)
        except OSError:
            connection.close()
            return
        # Closed in any case without a farewell: to its reader the end comes as the server made it.
        with client:
            try:
                while True:
                    readable, _, _ = select.select([client, server], [], [])
                    while client in readable:
                        if not (data := client.recv(65536)):
                            return
                        server.sendall(data)
                        if not client.pending():
                            break
                    if server in readable:
                        if not (data := server.recv(65536)):
                            return
                        client.sendall(data)
            except ConnectionResetError:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            except OSError:
                pass


print(listener.getsockname()[1], flush=True)
while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
