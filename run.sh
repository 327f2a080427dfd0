#!/usr/bin/env bash
# Installs what is missing, builds Talus (Release), and runs sample scenes without a window.
#
#   ./run.sh                      every scene, and a table of what each of them cost
#   ./run.sh SCENE [options]      one scene
#   ./run.sh --list               the scenes; other options go to the runner as they are (--help lists them)

caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"
source cmake/setup.sh
runner=$PWD/build/release/talus-samples

install_packages "${run_packages[@]}"
build release -- talus-samples
samples/fetch_meshes.sh || true # it has said what is missing, and so will the scene that needs them

if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    set -- --scene "$@"
fi
cd "$caller" # files that the options name are meant from there
exec "$runner" "$@"
