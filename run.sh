#!/usr/bin/env bash
# Installs what is missing, builds Talus (Release), and runs sample scenes without a window.
#
#   ./run.sh                      every scene, and a table of what each of them cost
#   ./run.sh SCENE [options]      one scene
#   ./run.sh --window [options]   opens the window; installs what that needs
#   ./run.sh --list               the scenes; other options go to the runner as they are (--help lists them)

caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"
source cmake/setup.sh
root=$PWD
if [ "${1-}" = --help ] || [ "${1-}" = -h ]; then
    sed -n '2,/^$/s/^# \{0,1\}//p' run.sh # then the runner's own
fi
program=talus-samples
packages=("${run_packages[@]}")
if [ "${1-}" = --window ]; then
    program=talus-window
    packages+=("${window_packages[@]}")
    shift
fi

install_packages "${packages[@]}"
build release -- $program
samples/fetch_meshes.sh || true # it has said what is missing, and so will the scene that needs them

if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    set -- --scene "$@"
fi
cd "$caller" # files that the options name are meant from there
exec "$root/build/release/$program" "$@"
