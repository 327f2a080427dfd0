#!/usr/bin/env bash
# Fetches the meshes of the scene real_things into meshes/: twelve closed OFF meshes out of Debian's package libcgal-demo
# (24 MB, downloaded and unpacked, not installed; it keeps its own licences, so the meshes are not in the repository).
#
#   samples/fetch_meshes.sh [FOLDER]     default: meshes/ at the top of the repository
#
# Quiet; does nothing when they are there already. Exit 1 and one sentence when they cannot be had.

set -euo pipefail

meshes=(anchor couplingdown cow elephant fandisk hand helmet knot1 pinion rotor triceratops turbine)
folder=${1-"$(dirname "${BASH_SOURCE[0]}")/../meshes"}

missing=0
for name in "${meshes[@]}"; do
    [ -s "$folder/$name.off" ] || missing=1
done
[ $missing = 1 ] || exit 0

fail() {
    printf 'error: %s; the scene real_things needs them (or your own: --mesh FILE...).\n' "$*" >&2
    exit 1
}

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
    fail "the sample meshes come from Debian's package libcgal-demo, and this is no Debian"

mkdir -p "$folder" 2>/dev/null || fail "cannot make the folder $folder for the sample meshes"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # apt's download user looks in

download() { (cd "$work" && apt-get -q download libcgal-demo) >"$work/log" 2>&1 </dev/null; }
update() {
    local root=()
    [ "$(id -u)" = 0 ] || root=(sudo -n)
    "${root[@]}" apt-get -q update >"$work/log" 2>&1 </dev/null
}
if ! download; then
    # A machine that never fetched its package lists, or long ago.
    update || true
    download || { tail -n 5 "$work/log" >&2; fail "apt-get cannot download libcgal-demo (is there a network?)"; }
fi

dpkg-deb -x "$work"/libcgal-demo_*.deb "$work/package"
archive=$(find "$work/package" -name 'data.tar*' -print -quit)
[ -n "$archive" ] || fail "this version of libcgal-demo holds no archive of meshes (data.tar)"
mkdir "$work/data"
tar -xf "$archive" -C "$work/data"
for name in "${meshes[@]}"; do
    found=$(find "$work/data" -name "$name.off" -print -quit)
    [ -n "$found" ] || fail "this version of libcgal-demo holds no mesh $name.off"
    # Under another name first: what has its final name is whole.
    cp "$found" "$folder/.$name.off.part"
    mv "$folder/.$name.off.part" "$folder/$name.off"
done
