#!/usr/bin/env bash
# Makes the npm package: bindings/js/package.sh [SIMD PLAIN PACKAGE]
#
#   SIMD     build folder of the preset `wasm`, by default build/wasm
#   PLAIN    build folder of the preset `wasm-plain`, by default build/wasm-plain
#   PACKAGE  folder of the package, by default build/wasm/npm; `npm pack` in it makes the archive
#
# It prints the size of what a browser loads: the scripts and one of the two modules.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
simd=${1:-$root/build/wasm} plain=${2:-$root/build/wasm-plain} package=${3:-$root/build/wasm/npm}

cd "$root"
[[ -f $simd/CMakeCache.txt ]] || cmake --preset wasm -B "$simd"
[[ -f $plain/CMakeCache.txt ]] || cmake --preset wasm-plain -B "$plain"
cmake --build "$simd" --target talus_js
cmake --build "$plain" --target talus_js
cmp "$simd/layout.mjs" "$plain/layout.mjs"

rm -rf "$package"
mkdir -p "$package/examples"
cp "$here"/{talus.mjs,world.mjs,memory.mjs,talus.d.ts,package.json,README.md} LICENSE "$simd/layout.mjs" "$package"
cp "$here"/examples/* "$package/examples"
cp "$simd/talus.wasm" "$package/talus-simd.wasm"
cp "$plain/talus.wasm" "$package/talus.wasm"

# size FILE...: of the files together, compressed one by one as a web server does, in KB.
size() { for file; do gzip -9 -c "$package/$file"; done | wc -c | awk '{printf "%.0f KB", $1 / 1000}'; }
scripts=(talus.mjs world.mjs memory.mjs layout.mjs)
echo "$package: a browser loads $(size "${scripts[@]}" talus-simd.wasm), compressed, or $(size "${scripts[@]}" talus.wasm) without SIMD" \
    "(scripts: $(size "${scripts[@]}"))"
