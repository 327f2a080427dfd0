#!/usr/bin/env bash
# Installs what is missing, builds Talus (Release), and runs sample scenes without a window.
#
#   ./run.sh                      every scene, and a table of what each of them cost
#   ./run.sh SCENE [options]      one scene
#   ./run.sh --list               the scenes; other options go to the runner as they are (--help lists them)

cd "$(dirname "${BASH_SOURCE[0]}")"
source cmake/setup.sh

install_packages "${run_packages[@]}"
build release -- talus-samples
samples/fetch_meshes.sh

if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    set -- --scene "$@"
fi
exec build/release/talus-samples "$@"
