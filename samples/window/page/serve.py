"""Serves the page to this machine's browsers: python3 serve.py FOLDER [PORT].

Any web server of static files does. This one also says that the page stands alone (COOP and COEP): then browsers give it
clocks of 5 us, for its profile, in place of 100 us.
"""

import functools
import http.server
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, *_):
        pass


def make_server(folder, port=0):
    """A server on localhost; port 0: any that is free, server_port says which."""
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=folder))


if __name__ == "__main__":
    try:
        with make_server(sys.argv[1], int(sys.argv[2])) as server:
            print(f"http://localhost:{server.server_port}", flush=True)
            server.serve_forever()
    except OSError as error:
        sys.exit(f"error: port {sys.argv[2]} cannot be used: {error.strerror}")
    except KeyboardInterrupt:
        pass
