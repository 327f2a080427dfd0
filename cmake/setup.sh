# What run.sh, test.sh and .ci/run share: packages, logs, the build. Bash sources it at the top of the repository.
#
# The output of each step goes to build/log/STEP.txt. A step shows one line and its progress; the log is shown if it fails.

set -euo pipefail

# What one clone has compiled, another need not: ccache sees paths below the repository as relative ones.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

# Debian 12's names. For other systems: a C++20 compiler, CMake 3.25, ninja, and the libraries by these names.
# (zlib1g-dev is what libassimp-dev needs to be linked, and forgets to depend on.)
run_packages=(g++ cmake ninja-build libglm-dev libassimp-dev zlib1g-dev libstb-dev)
window_packages=(libglfw3-dev libimgui-dev libgl-dev libgl1-mesa-dri pkg-config fonts-dejavu-core)
# Xvfb and Chromium: the window and the pages are tested in real programs, by scripts in Python.
test_packages=("${run_packages[@]}" "${window_packages[@]}" ccache clang doctest-dev libbullet-dev libtbb-dev xvfb xauth libxtst6 chromium python3 python3-numpy)
sanitizer_packages=(libclang-rt-dev)  # clang's sanitizers and libFuzzer
# Other platforms' compilers, and what runs their programs (test.sh --target).
declare -A target_packages=(
    [arm64]="g++-aarch64-linux-gnu qemu-user"
    [i686]="g++-i686-linux-gnu qemu-user"
    [windows]="g++-mingw-w64-x86-64-posix wine wine64"
    [wasm]="emscripten nodejs"
    [wasm-plain]="emscripten nodejs"
)
page_packages=(cmake ninja-build ccache libglm-dev fonts-dejavu-core python3)  # the window as a web page (run.sh --web)
ci_packages=("${test_packages[@]}" "${sanitizer_packages[@]}" clang-format clang-tidy doxygen)

say() { printf '==> %s\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# join SEPARATOR WORD...: the words with the separator, one character, between them.
join() { local IFS=$1; shift; printf '%s' "$*"; }

# usage SCRIPT: prints the comment at its top.
usage() { sed -n '2,/^$/s/^# \{0,1\}//p' "$1"; }

# quietly STEP COMMAND...: runs the command with its output in the step's log. If it fails: the end of the log, and exit.
quietly() {
    local log="build/log/$1.txt"
    shift
    mkdir -p build/log
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 60 "$log" >&2
        fail "'$*' failed; its whole output is in $log"
    fi
}

# show_progress: reads ninja's lines, shows how far it is: one line that is rewritten on a terminal, else a line per 10%.
show_progress() {
    local line percent shown=0
    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
        if [ -t 2 ]; then
            printf '\r    %3d%%, %s of %s' "$percent" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
        elif [ $((percent / 10)) -gt $((shown / 10)) ]; then
            printf '    %3d%%, %s of %s\n' "$percent" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
        fi
        shown=$percent
    done
    if [ -t 2 ] && [ "$shown" -gt 0 ]; then printf '\n' >&2; fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# install_packages PACKAGE...: those of them that are missing, by apt-get. Nothing is called when nothing is missing, and
# nothing ends when they cannot be had: the build says what it cannot do without, and leaves out the rest.
install_packages() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "This is no Debian, so nothing is installed here; needed are (Debian's names): $*"
        return
    fi
    local package missing=() refused=() apt=(apt-get -o DPkg::Lock::Timeout=600 -o Acquire::Retries=2)
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        say "Going on without these packages, since installing them takes root or sudo: ${missing[*]}"
        return
    fi

    say "Installing ${missing[*]}"
    mkdir -p build/log
    # A source of packages that is out of reach is no reason to stop: the others may have all that is needed.
    as_root env DEBIAN_FRONTEND=noninteractive "${apt[@]}" update >build/log/apt-update.txt 2>&1 </dev/null || true
    if ! as_root env DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y --no-install-recommends "${missing[@]}" \
        >build/log/apt-install.txt 2>&1 </dev/null; then
        for package in "${missing[@]}"; do
            is_installed "$package" || refused+=("$package")
        done
        say "Going on without these packages, since apt-get could not install them (no network, or not Debian 12 or" \
            "newer? build/log/apt-install.txt): ${refused[*]}"
    fi
}

# fetch_source PACKAGE: the source of a Debian package, unpacked in build/source/PACKAGE: for platforms that Debian has no
# libraries for. It comes from the same places as the packages; the machine's own list of these stays as it is.
fetch_source() {
    local folder=$PWD/build/source/$1 own=$PWD/build/source/apt options
    [ ! -d "$folder" ] || return 0
    command -v apt-get >/dev/null || fail "$folder is missing: unpack the source of $1 there (this is no Debian)"
    say "Fetching the source of $1"
    mkdir -p "$own/lists/partial" "$own/$1"
    apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' 'Origin: Debian' |
        sort -u >"$own/sources.list"
    options=(-o "Dir::Etc::sourcelist=$own/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$own/lists"
        -o APT::Sandbox::User= -o Acquire::Retries=2)
    quietly "source-lists" apt-get "${options[@]}" update
    (cd "$own/$1" && apt-get "${options[@]}" source --download-only "$1") >"build/log/source-$1.txt" 2>&1 </dev/null ||
        fail "apt-get cannot fetch the source of $1; build/log/source-$1.txt says why"
    rm -rf "$folder.part"
    mkdir "$folder.part"
    tar xf "$own/$1"/*.orig.tar.* -C "$folder.part" --strip-components=1
    mv "$folder.part" "$folder"
}

# build PRESET [-- target...]: configures and builds in the folder of the preset; all when no target is named.
build() {
    local preset=$1 folder=build/$1 targets=() log
    shift
    [ "$preset" != ci ] || folder=build/release
    [ $# -eq 0 ] || shift
    [ $# -eq 0 ] || targets=(--target "$@")
    log=build/log/build-$preset.txt
    for tool in cmake ninja; do
        command -v $tool >/dev/null || fail "$tool is not installed"
    done
    say "Building in $folder"
    quietly "configure-$preset" cmake --preset "$preset"
    if ! NINJA_STATUS='[%f/%t] ' cmake --build "$folder" -j "$(nproc)" "${targets[@]}" 2>&1 </dev/null | tee "$log" | show_progress; then
        tail -n 60 "$log" >&2
        fail "the build in $folder failed; its whole output is in $log"
    fi
}

# build_page [target...]: the window as a web page, in build/wasm/page, and other targets for WebAssembly.
build_page() {
    fetch_source imgui
    fetch_source zlib
    samples/fetch_meshes.sh || true # it has said what is missing: the page's scene real_things, then
    build wasm -- talus-window "$@"
}
