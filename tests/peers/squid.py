"""Tests Squid as an accelerator in front of hoop. Usage: squid.py SERVER ECHO"""

import sys

sys.dont_write_bytecode = True

from peers import Folder, Server, check_echo, check_front, need, run, start_front  # noqa: E402

CONFIG = """
http_port 127.0.0.1:@PORT@ accel defaultsite=localhost no-vhost name=one
http_port 127.0.0.1:@PORT2@ accel defaultsite=localhost no-vhost name=two
acl one myportname one
acl two myportname two
cache_peer 127.0.0.1 parent @SERVER@ 0 no-query no-digest originserver name=hoop
cache_peer 127.0.0.1 parent @ECHO@ 0 no-query no-digest originserver name=echo
cache_peer_access hoop allow one
cache_peer_access hoop deny all
cache_peer_access echo allow two
cache_peer_access echo deny all
never_direct allow all
http_access allow one
http_access allow two
http_access deny all
cache deny all
client_persistent_connections on
server_persistent_connections on
pipeline_prefetch 1
pid_filename @DIR@/pid
cache_log @DIR@/cache.log
access_log none
coredump_dir @DIR@
cache_mem 16 MB
netdb_filename none
pinger_enable off
icp_port 0
shutdown_lifetime 0 seconds
visible_hostname localhost
"""


def test(path, echo_path):
    program = need("squid", "squid")
    server, echo = Server(path), Server(echo_path)
    with Folder("squid") as folder:

        def config(port, port2):
            text = CONFIG.replace("@DIR@", str(folder))
            text = text.replace("@SERVER@", str(server.port)).replace("@ECHO@", str(echo.port))
            text = text.replace("@PORT@", str(port)).replace("@PORT2@", str(port2))
            (folder / "squid.conf").write_text(text)

        # A name of its own, so that a Squid of the system's is not in its way.
        name = "hoop" + folder.name.replace("-", "").replace("_", "")
        command = [program, "--foreground", "-n", name, "-f", folder / "squid.conf"]
        front, port, port2 = start_front(folder, config, command, ports=2)
        check_front(server, port)
        check_echo(echo, port2)
        front.stop()
        server.stop()
        echo.stop()


if __name__ == "__main__":
    run(test)
