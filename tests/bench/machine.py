"""What was measured where: the machine and the versions, as a Markdown list."""

import os
import platform
import re
import subprocess
import time
from pathlib import Path


def first_line(*command):
    """What a command says first, or nothing if there is no such command."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    return (done.stdout or done.stderr).strip().partition("\n")[0]


def field(file, name):
    found = re.search(rf"^{name}\s*: *(.*)$", Path(file).read_text(), re.M)
    return found[1] if found else "unknown"


def version(package):
    return first_line("pkg-config", "--modversion", package)


def describe(engine):
    """The list. `engine` tells how this build was made."""
    memory = int(field("/proc/meminfo", "MemTotal").split()[0]) / 2**20
    about = subprocess.run([engine, "--about"], capture_output=True, text=True).stdout.split("\n")
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        system = platform.system()
    virtual = "hypervisor" in field("/proc/cpuinfo", "flags").split()
    libraries = {
        "libuv": version("libuv"),
        "libevent": version("libevent"),
        "libh2o": version("libh2o-evloop"),
        "libmicrohttpd": version("libmicrohttpd"),
        "nginx": first_line("/usr/sbin/nginx", "-v").rpartition("/")[2],
        "wrk": re.sub(r"^wrk (debian/)?([^ ]+).*", r"\2", first_line("wrk", "-v")),
        "valgrind": first_line("valgrind", "--version").removeprefix("valgrind-"),
    }
    return "\n".join([
        f"- {time.strftime('%Y-%m-%d', time.gmtime())}, {system}, Linux {platform.release()}",
        f"- {field('/proc/cpuinfo', 'model name')}, {os.cpu_count()} CPUs, {memory:.0f} GiB"
        + (", a virtual machine" if virtual else ""),
        "- " + ", ".join(line for line in about if line),
        "- " + ", ".join(f"{name} {number}" for name, number in libraries.items() if number),
    ])
