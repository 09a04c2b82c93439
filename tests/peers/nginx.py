"""Tests nginx as a reverse proxy in front of hoop. Usage: nginx.py SERVER ECHO"""

import sys

sys.dont_write_bytecode = True

from peers import Folder, Server, check_echo, check_front, need, run, start_front  # noqa: E402

CONFIG = """
daemon off;
worker_processes 1;
pid @DIR@/pid;
error_log @DIR@/error.log warn;
events { worker_connections 512; }
http {
    access_log off;
    client_max_body_size 100m;
    client_body_temp_path @DIR@/body;
    proxy_temp_path @DIR@/proxy;
    fastcgi_temp_path @DIR@/fastcgi;
    uwsgi_temp_path @DIR@/uwsgi;
    scgi_temp_path @DIR@/scgi;
    upstream hoop { server 127.0.0.1:@SERVER@; keepalive 32; }
    upstream echo { server 127.0.0.1:@ECHO@; keepalive 32; }
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;
    proxy_request_buffering @BUFFERING@;
    proxy_buffering @BUFFERING@;
    server { listen 127.0.0.1:@PORT@; location / { proxy_pass http://hoop; } }
    server { listen 127.0.0.1:@PORT2@; location / { proxy_pass http://echo; } }
}
"""


def test(path, echo_path):
    program = need("nginx", "nginx")
    for buffering in ("on", "off"):
        server, echo = Server(path), Server(echo_path)
        with Folder("nginx") as folder:

            def config(port, port2, buffering=buffering, server=server, echo=echo, folder=folder):
                text = CONFIG.replace("@DIR@", str(folder)).replace("@BUFFERING@", buffering)
                text = text.replace("@SERVER@", str(server.port)).replace("@ECHO@", str(echo.port))
                text = text.replace("@PORT@", str(port)).replace("@PORT2@", str(port2))
                (folder / "nginx.conf").write_text(text)

            command = [program, "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf"]
            front, port, port2 = start_front(folder, config, command, ports=2)
            check_front(server, port)
            check_echo(echo, port2)
            front.stop()
            server.stop()
            echo.stop()


if __name__ == "__main__":
    run(test)
