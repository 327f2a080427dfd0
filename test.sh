#!/usr/bin/env bash
# Installs what is missing, builds Talus with warnings as errors, and runs all tests.
#
#   ./test.sh [ctest options]             Release, by g++; -R REGEX runs the tests whose names match
#   ./test.sh --clang [ctest options]     Release, by clang, without the long tests
#   ./test.sh --sanitize [ctest options]  with the address and undefined-behaviour sanitizers, without the long tests
#   ./test.sh --tsan [ctest options]      with the thread sanitizer, without the long tests
#   ./test.sh --target TARGET [--golden]  the golden hashes and the quick tests of the libraries for another platform, or
#                                         the hashes only: arm64, i686, windows, wasm, wasm-plain (docs/platforms.md)
#   ./test.sh --web                       the package for JavaScript, in Node and in Chromium, and the window as a web page
#   ./test.sh --help                      prints this
#
# What could not be tested here is listed at the end. With CI=true in the environment that is a failure.

cd "$(dirname "${BASH_SOURCE[0]}")"
source cmake/setup.sh

# skipped_tests FILE: the tests that ctest's results say did not run, a line each, with the reason that they printed.
skipped_tests() {
    awk '
        /<testcase / {
            name = $0; sub(/.*<testcase name="/, "", name); sub(/" classname=.*/, "", name)
            ran = $0 !~ /status="(notrun|disabled)"/; reason = "disabled, or not built"
        }
        /skipped: / { reason = $0; sub(/.*skipped: /, "", reason) }
        /<\/testcase>/ && !ran { print "test " name ": " reason }
    ' "$1" | sed 's/&quot;/"/g; s/&apos;/'"'"'/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
}

# start_wine: makes a Windows of the build folder's, and keeps its server running until this script ends: otherwise each
# program would start it anew, which takes seconds.
start_wine() {
    export WINEPREFIX=$PWD/build/windows/wine WINEDEBUG=-all WINEDLLOVERRIDES="winemenubuilder.exe,mscoree,mshtml="
    mkdir -p "$WINEPREFIX"
    wineserver --kill || true  # one that an interrupted run has left
    wineserver --persistent
    quietly wine wineboot --init
    trap 'wineserver --kill' EXIT
}

# test_target TARGET [--golden]: builds the headless runner and the tests of the libraries for another platform, and runs
# them there. With --golden only the runner, and on two threads if there are threads.
test_target() {
    local target=$1 run=() suffix="" threads=(1 2) packages test programs=(common narrowphase broadphase engine)
    read -ra packages <<<"${target_packages[$target]}"
    install_packages cmake ninja-build ccache libglm-dev doctest-dev "${packages[@]}"
    case $target in
        arm64) run=(qemu-aarch64 -L /usr/aarch64-linux-gnu) ;;
        i686) run=(qemu-i386) ;; # not every kernel runs programs of 32 bits
        windows) run=(wine) suffix=.exe && start_wine ;;
        wasm*) run=(node) suffix=.js threads=(1) ;;
    esac
    # Emulated steps take long. That one thread gives the bits of two is tested where programs run natively.
    [ "${2-}" != --golden ] || programs=() threads=("${threads[@]: -1}")

    build "$target" -- talus-samples "${programs[@]/#/talus-tests-}"
    say "Testing on $target: 120 steps of each scene of tests/determinism/golden.txt"
    cmake "-DRUNNER=$(join ";" "${run[@]}" "$PWD/build/$target/talus-samples$suffix")" "-DTHREADS=$(join ";" "${threads[@]}")" \
        -DSTEPS=120 -P tests/determinism/golden.cmake
    say "The bits are those of x86-64"
    for test in "${programs[@]}"; do
        say "Testing on $target: the quick tests of $test"
        "${run[@]}" "build/$target/talus-tests-$test$suffix" --test-suite-exclude=slow
    done
}

# test_web: makes the npm package and the page of run.sh --web, and uses both. What runs natively beside them tells which
# bits are right.
test_web() {
    local packages node_modules=$PWD/build/npm/node_modules
    read -ra packages <<<"${target_packages[wasm]}"
    command -v npm >/dev/null || packages+=(npm) # some distributions' Node brings it along
    install_packages "${run_packages[@]}" "${page_packages[@]}" "${packages[@]}" chromium
    build_page talus_js
    build wasm-plain -- talus_js
    build wasm-threads -- talus_js
    quietly npm-package bindings/js/package.sh
    tail -n 1 build/log/npm-package.txt
    build ci -- talus-samples talus_c_shared
    quietly npm-install npm install --prefix build/npm --no-save --no-audit --no-fund typescript@5.9.3 three@0.170.0
    say "Testing the package in Node"
    TALUS_JS=build/wasm/npm TALUS_SO=build/release/libtalus.so TALUS_TSC=$node_modules/typescript/bin/tsc \
        node --test tests/bindings/js_test.mjs
    say "Testing the package in Chromium"
    python3 tests/bindings/js_browser_test.py build/wasm/npm "$node_modules/three"
    say "Testing the page in Chromium"
    TALUS_SAMPLES=build/release/talus-samples python3 tests/pages/window_test.py build/wasm/page
}

preset=ci
folder=build/release
packages=("${test_packages[@]}")
selection=()
case "${1-}" in
    --help | -h)
        usage test.sh
        exit
        ;;
    --target)
        [ -n "${target_packages[${2-}]-}" ] || fail "--target needs one of: ${!target_packages[*]}"
        test_target "$2" "${3-}"
        exit
        ;;
    --web)
        test_web
        exit
        ;;
    --clang) preset=clang ;;
    --sanitize) preset=asan packages+=("${sanitizer_packages[@]}") ;;
    --tsan) preset=tsan packages+=("${sanitizer_packages[@]}") ;;
esac
if [ $preset != ci ]; then
    shift
    folder=build/$preset
    selection=(--label-exclude '^(long|stability)$')
fi

install_packages "${packages[@]}"
build $preset
samples/fetch_meshes.sh || true # it has said what is missing, and so will the test that needs them

say "Testing"
results=$PWD/build/log/test-$preset.xml
rm -f "$results"
code=0
ctest --test-dir $folder --output-on-failure --no-tests=error -j "$(nproc)" --output-junit "$results" \
    "${selection[@]}" "$@" || code=$?

# What was left out: programs, when the build was configured, and tests that say why they skip.
{
    cat $folder/skipped.txt
    [ ! -f "$results" ] || skipped_tests "$results"
} | sed '/^$/d' >build/log/skipped-$preset.txt
count=$(wc -l <build/log/skipped-$preset.txt)
if [ "$count" -gt 0 ]; then
    say "Skipped: $count"
    sed 's/^/    /' build/log/skipped-$preset.txt >&2
    if [ "${CI-}" = true ] && [ $code = 0 ]; then
        say "CI=true: nothing may be skipped"
        code=1
    fi
else
    say "Skipped: nothing"
fi
exit $code
