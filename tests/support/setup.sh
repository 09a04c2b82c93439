# Sourced by tests/run and examples/run: installs missing Debian packages, configures and builds.
# The caller has set `root`, the source directory. All that is said here goes to stderr.

# The packages in the named lists, one a line.
packages_of() {
    for list in "$@"; do
        sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$root/tests/support/packages/$list"
    done
}

# Those of the packages in the named lists that are not installed, on one line.
packages_missing() {
    command -v dpkg-query >/dev/null || return 0 # no Debian: meson says what it does not find
    dpkg-query -W -f '${Package} ${db:Status-Status}\n' $(packages_of "$@") 2>/dev/null |
        sed -n 's/ installed$//p' >"$scratch/installed"
    packages_of "$@" | grep -vxF -f "$scratch/installed" | paste -s -d ' ' -
}

# Runs a command as root, in an environment in which no package asks or restarts anything.
as_root() {
    set -- env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 "$@"
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# True if as_root will work; sudo may ask for a password where someone can type it.
can_be_root() {
    [ "$(id -u)" = 0 ] && return
    command -v sudo >/dev/null || return
    sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }
}

# Runs a command without output unless it fails, then with all of it.
quiet() {
    "$@" </dev/null >"$scratch/log" 2>&1 || {
        status=$?
        cat "$scratch/log" >&2
        return $status
    }
}

# quiet_apt COMMAND [ARGUMENT...]: apt-get without questions.
quiet_apt() {
    quiet as_root $away apt-get -q -y -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@"
}

# Installs the packages and starts no service: a policy-rc.d forbids it while dpkg works, and a
# server that came this way is not started at the next boot either.
install_packages() (
    policy=/usr/sbin/policy-rc.d
    mark="# Stands only while hoop's tests install packages."
    mine=
    away=
    trap '[ -z "$mine" ] || as_root rm -f "$policy"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    quiet_apt update || exit 1
    quiet_apt install --no-install-recommends --download-only "$@" || exit 1
    if [ ! -e "$policy" ] || grep -qxF "$mark" "$policy"; then
        printf '#!/bin/sh\n%s\nexit 101\n' "$mark" >"$scratch/policy"
        mine=1
        as_root install -m 755 "$scratch/policy" "$policy" || exit 1
    fi
    # Half an installation helps nobody: in a session of its own dpkg never hears of a Ctrl-C, which
    # takes effect when it is done.
    away="setsid --wait"
    (trap '' INT && quiet_apt install --no-install-recommends "$@") || exit 1
    for service in nginx apache2 haproxy varnish varnishncsa squid; do
        case " $* " in # the package varnish brings a service that is named varnishncsa, too
        *" ${service%ncsa} "*) quiet as_root update-rc.d "$service" disable ;;
        esac
    done
)

# Installs what is missing of the named lists; exits 1 if it can't.
need_packages() {
    [ -n "$(packages_missing "$@")" ] || return 0
    # One installation at a time: whoever waited here finds nothing left to do.
    exec 9</var/lib/dpkg
    flock 9
    missing=$(packages_missing "$@")
    if [ -n "$missing" ]; then
        if ! can_be_root; then
            echo "These Debian packages are missing, and installing them takes root or sudo:" >&2
            echo "    apt-get install --no-install-recommends $missing" >&2
            exit 1
        fi
        echo "Installing $missing" >&2
        install_packages $missing || exit
    fi
    exec 9<&-
}

# configure DIR [OPTION...]: runs meson where it has not been run yet, where the packages have
# changed since (a library may have come that was not found then), where the source has moved, or
# where a meson.build is newer.
configure() {
    dir=$1
    shift
    packages=
    if command -v dpkg-query >/dev/null; then
        packages=$(dpkg-query -W $(packages_of build test) 2>/dev/null)
    fi
    mkdir -p "$dir"
    exec 8<"$dir"
    flock 8
    {
        echo "$root"
        echo "$packages"
    } >"$scratch/stamp"
    if [ ! -f "$dir/build.ninja" ]; then
        quiet meson setup "$@" "$dir" "$root" || return
    elif [ -f "$dir/configured" ] && [ "$root" != "$(head -n 1 "$dir/configured")" ]; then
        quiet meson setup --wipe "$@" "$dir" "$root" || return
    elif ! cmp -s "$scratch/stamp" "$dir/configured"; then
        quiet meson setup --reconfigure "$dir" "$root" || return
    fi
    quiet ninja -C "$dir" build.ninja || return
    cp "$scratch/stamp" "$dir/configured"
    exec 8<&-
}

# build DIR [TARGET...]: compiles; only warnings and errors are shown.
build() {
    dir=$1
    shift
    {
        flock "$dir" ninja --quiet -C "$dir" "$@" </dev/null 2>&1
        echo $? >"$scratch/status"
    } | grep -vx 'ninja: no work to do.' >&2
    return "$(cat "$scratch/status")"
}

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
