#!/usr/bin/env bash
# Installs what is missing, builds Talus with warnings as errors, and runs all tests.
#
#   ./test.sh [ctest options]             Release, by g++; -R REGEX runs the tests whose names match
#   ./test.sh --sanitize [ctest options]  with the address and undefined-behaviour sanitizers, the long tests left out
#   ./test.sh --tsan [ctest options]      with the thread sanitizer, the long tests left out

cd "$(dirname "${BASH_SOURCE[0]}")"
source cmake/setup.sh

preset=release
selection=()
case "${1-}" in
    --sanitize) preset=asan ;;
    --tsan) preset=tsan ;;
esac
if [ $preset != release ]; then
    shift
    selection=(--label-exclude '^(long|stability)$')
fi

install_packages "${test_packages[@]}"
build $preset -DTALUS_WERROR=ON
samples/fetch_meshes.sh
say "Testing"
exec ctest --test-dir build/$preset --output-on-failure --no-tests=error -j "$(nproc)" "${selection[@]}" "$@"
