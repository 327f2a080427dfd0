#!/usr/bin/env bash
# Installs what is missing, builds Talus (Release), and runs sample scenes without a window.
#
#   ./run.sh                      runs every scene, and prints a table of what each of them cost
#   ./run.sh SCENE [options]      runs one scene
#   ./run.sh --window [options]   opens the window; installs what that needs
#   ./run.sh --profile COMMAND [options]
#                                 builds talus-profile, the benchmarks, and runs one of its commands: papers, gjk, ...
#                                 (--profile --help lists them); without Bullet, the columns of Bullet stay empty
#   ./run.sh --web [PORT]         builds the window as a web page, in build/wasm/page, and serves it to this machine's
#                                 browser; port 8000, or another one; 0: builds only
#   ./run.sh --list               lists the scenes
#   ./run.sh OPTION...            passes other options to the runner, talus-samples
#   ./run.sh --help               prints this and the runner's options (--window --help: the window's)

caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"
source cmake/setup.sh
root=$PWD
program=talus-samples
packages=("${run_packages[@]}")
if [ "${1-}" = --window ]; then
    program=talus-window
    packages+=("${window_packages[@]}")
    shift
elif [ "${1-}" = --profile ]; then
    install_packages "${packages[@]}"
    build release -- talus-profile
    samples/fetch_meshes.sh || true # without them papers --nonconvex has the solids that it makes itself
    shift
    cd "$caller" # files that the options name are meant from there
    exec "$root/build/release/talus-profile" "$@"
fi

if [ "${1-}" = --web ]; then
    port=${2-8000}
    [[ $port =~ ^[0-9]+$ ]] && [ "$port" -le 65535 ] || fail "--web takes a port, 0 to 65535, not '$port'"
    read -ra packages <<<"${target_packages[wasm]}"
    install_packages "${packages[@]}" "${page_packages[@]}"
    build_page
    say "The page is build/wasm/page: static files, for any web server"
    [ "$port" != 0 ] || exit 0
    say "Open this in a browser; Ctrl+C ends it"
    exec python3 samples/window/page/serve.py build/wasm/page "$port"
fi

# These two take no build: before the first one they are answered from the documents, which tests keep equal.
case "${1-}" in
    --help | -h)
        usage run.sh
        if [ -x build/release/$program ]; then
            exec build/release/$program --help
        fi
        cat docs/help/$program.txt
        exit
        ;;
    --list)
        if [ -x build/release/$program ]; then
            exec build/release/$program --list
        fi
        awk '/^### / { name = $2; getline; getline; printf "%-12s %s\n", name, $0 }' docs/scenes.md
        exit
        ;;
esac

install_packages "${packages[@]}"
build release -- $program
samples/fetch_meshes.sh || true # it has said what is missing, and so will the scene that needs them

if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    set -- --scene "$@"
fi
cd "$caller" # files that the options name are meant from there
exec "$root/build/release/$program" "$@"
