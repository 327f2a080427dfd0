#!/usr/bin/env bash
# Makes the npm package: bindings/js/package.sh [PACKAGE]
#
#   PACKAGE  folder of the package, by default build/wasm/npm; `npm pack` in it makes the archive
#
# The modules are built in build/wasm, build/wasm-plain and build/wasm-threads. It prints the size of what a browser loads:
# the scripts and one of the three modules.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
package=${1:-$root/build/wasm/npm}
presets=(wasm wasm-plain wasm-threads)

cd "$root"
for preset in "${presets[@]}"; do
    [[ -f build/$preset/CMakeCache.txt ]] || cmake --preset "$preset"
    cmake --build "build/$preset" --target talus_js
    cmp build/wasm/layout.mjs "build/$preset/layout.mjs"
done

rm -rf "$package"
mkdir -p "$package/examples"
cp "$here"/{talus.mjs,world.mjs,module.mjs,memory.mjs,threads.mjs,worker.mjs,talus.d.ts,package.json,README.md} LICENSE \
    build/wasm/layout.mjs "$package"
cp "$here"/examples/* "$package/examples"
cp build/wasm/talus.wasm "$package/talus-simd.wasm"
cp build/wasm-plain/talus.wasm "$package/talus.wasm"
cp build/wasm-threads/talus.wasm "$package/talus-threads.wasm"

# size FILE...: of the files together, compressed one by one as a web server does, in KB.
size() { for file; do gzip -9 -c "$package/$file"; done | wc -c | awk '{printf "%.0f KB", $1 / 1000}'; }
scripts=(talus.mjs world.mjs module.mjs memory.mjs threads.mjs layout.mjs)
echo "$package: a browser loads $(size "${scripts[@]}" talus-simd.wasm), compressed, or $(size "${scripts[@]}" talus.wasm) without SIMD," \
    "or $(size "${scripts[@]}" worker.mjs talus-threads.wasm) for threads (scripts: $(size "${scripts[@]}"))"
