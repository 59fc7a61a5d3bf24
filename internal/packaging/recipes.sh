#!/bin/sh
# Fills in the recipes for package managers with the checksums of the archives in OUT: sh internal/packaging/recipes.sh OUT,
# with VERSION, URL and MAINTAINER in the environment.
set -eu
recipes=$(cd "$(dirname "$0")/recipes" && pwd)
cd "$1"
literal() { printf '%s' "$1" | sed 's/[&|\]/\\&/g'; }
fill="s|{{.Version}}|$VERSION|g
s|{{.URL}}|$(literal "$URL")|g
s|{{.Maintainer}}|$(literal "$MAINTAINER")|g
s|{{.PacmanVersion}}|$(echo "$VERSION" | tr - _)|g" # it has no hyphen, which parts a version from a package's release
for target in $(cat "$recipes/../targets"); do
	os=${target%/*} arch=${target#*/}
	folder=chatvault_${VERSION}_${os}_$arch archive=$folder.tar.gz
	[ "$os" != windows ] || archive=$folder.zip
	sum=$(sha256sum "$archive")
	of="\"$os\" \"$arch\"}}"
	fill="$fill
s|{{.Folder $of|$folder|g
s|{{.Archive $of|$archive|g
s|{{.Sum $of|${sum%% *}|g"
done
(cd "$recipes" && find . -type f) | while read -r file; do
	mkdir -p "$(dirname "$file")"
	sed "$fill" "$recipes/$file" >"$file"
done
