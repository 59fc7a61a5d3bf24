#!/bin/sh
# Packs a folder into OUT/FOLDER.tar.gz, or a .zip if it is for Windows: sh internal/packaging/pack.sh FOLDER OUT. The
# files are in order, of nobody, and of the time in SOURCE_DATE_EPOCH, so that the same files give the same bytes.
set -eu
name=$(basename "$1")
out=$(cd "$2" && pwd)
cd "$(dirname "$1")"
find "$name" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
list=$(find "$name" -type f | LC_ALL=C sort)
case $name in
*_windows_*) echo "$list" | TZ=UTC zip -q -X -9 "$out/$name.zip" -@ ;;
*) echo "$list" | tar --create --format=ustar --owner=root:0 --group=root:0 --no-recursion --files-from=- | gzip -9n >"$out/$name.tar.gz" ;;
esac
