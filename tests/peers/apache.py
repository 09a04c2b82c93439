"""Tests Apache as a reverse proxy (mod_proxy_http) in front of hoop. Usage: apache.py SERVER ECHO"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(1, str(Path(__file__).parent.parent / "support"))

from peers import Folder, Server, check_echo, check_front, need, run, start_front  # noqa: E402

MODULES = "/usr/lib/apache2/modules"
CONFIG = """
ServerRoot @DIR@
ServerName localhost
PidFile @DIR@/pid
ErrorLog @DIR@/error.log
LogLevel warn
Mutex pthread
LoadModule mpm_event_module @MODULES@/mod_mpm_event.so
LoadModule authz_core_module @MODULES@/mod_authz_core.so
LoadModule env_module @MODULES@/mod_env.so
LoadModule proxy_module @MODULES@/mod_proxy.so
LoadModule proxy_http_module @MODULES@/mod_proxy_http.so
User www-data
Group www-data
Listen 127.0.0.1:@PORT@
Listen 127.0.0.1:@PORT2@
MaxKeepAliveRequests 0
<VirtualHost 127.0.0.1:@PORT@>
    ProxyPreserveHost On
    @SEND@
    ProxyPass / http://127.0.0.1:@SERVER@/
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT2@>
    ProxyPreserveHost On
    ProxyPass / http://127.0.0.1:@ECHO@/
</VirtualHost>
"""


def test(path, echo_path):
    program = need("apache2", "apache2")
    for send in ("", "SetEnv proxy-sendchunked 1"):
        server, echo = Server(path), Server(echo_path)
        with Folder("apache") as folder:

            def config(port, port2, send=send, server=server, echo=echo, folder=folder):
                text = CONFIG.replace("@DIR@", str(folder)).replace("@MODULES@", MODULES)
                text = text.replace("@SEND@", send)
                text = text.replace("@SERVER@", str(server.port)).replace("@ECHO@", str(echo.port))
                text = text.replace("@PORT@", str(port)).replace("@PORT2@", str(port2))
                (folder / "httpd.conf").write_text(text)

            command = [program, "-f", folder / "httpd.conf", "-DFOREGROUND"]
            front, port, port2 = start_front(folder, config, command, ports=2)
            check_front(server, port)
            check_echo(echo, port2)
            front.stop()
            server.stop()
            echo.stop()


if __name__ == "__main__":
    run(test)
