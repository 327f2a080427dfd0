# What run.sh and test.sh share: the packages, the quiet steps, the build. Bash sources it at the top of the repository.
#
# Everything goes to build/log/STEP.txt; a step shows one line, and its log only when it fails.

set -euo pipefail

# Debian 12's names. For other systems: a C++20 compiler, CMake 3.25, ninja, and the libraries by these names.
# (zlib1g-dev is what libassimp-dev needs to be linked, and forgets to depend on.)
run_packages=(g++ cmake ninja-build libglm-dev libassimp-dev zlib1g-dev libstb-dev)
window_packages=(libglfw3-dev libimgui-dev libgl-dev libgl1-mesa-dri pkg-config fonts-dejavu-core)
# Xvfb and Chromium: the window and the pages are tested in real programs, by scripts in Python.
test_packages=("${run_packages[@]}" "${window_packages[@]}" clang doctest-dev libbullet-dev xvfb xauth libxtst6 chromium python3)

say() { printf '==> %s\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# quietly STEP COMMAND...: runs it with its output in the step's log; shows the end of the log and stops when it fails.
quietly() {
    local log="build/log/$1.txt"
    shift
    mkdir -p build/log
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 60 "$log" >&2
        fail "'$*' failed; its whole output is in $log"
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# install_packages PACKAGE...: those of them that are missing, by apt-get. Nothing is called when nothing is missing.
install_packages() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "This is no Debian, so nothing is installed here; needed are (Debian's names): $*"
        return
    fi
    local package missing=() refused=() apt=(apt-get -o DPkg::Lock::Timeout=600)
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        fail "these packages are missing, and installing them takes root or sudo: ${missing[*]}"
    fi

    say "Installing ${missing[*]}"
    mkdir -p build/log
    export DEBIAN_FRONTEND=noninteractive
    # A source of packages that is out of reach is no reason to stop: the others may have all that is needed.
    as_root env DEBIAN_FRONTEND=noninteractive "${apt[@]}" update >build/log/apt-update.txt 2>&1 </dev/null || true
    if ! as_root env DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y --no-install-recommends "${missing[@]}" \
        >build/log/apt-install.txt 2>&1 </dev/null; then
        tail -n 20 build/log/apt-update.txt build/log/apt-install.txt >&2
        for package in "${missing[@]}"; do
            is_installed "$package" || refused+=("$package")
        done
        fail "apt-get could not install ${refused[*]}: is there a network, and is this Debian 12 or newer?"
    fi
}

# build PRESET [cmake option...] [-- target...]: configures and builds in build/PRESET; all when no target is named.
build() {
    local preset=$1 options=() targets=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    [ $# -eq 0 ] || shift
    [ $# -eq 0 ] || targets=(--target "$@")
    say "Building in build/$preset"
    quietly "configure-$preset" cmake --preset "$preset" "${options[@]}"
    quietly "build-$preset" cmake --build "build/$preset" -j "$(nproc)" "${targets[@]}"
}
