#!/bin/sh
# Makes the release of the commit that is checked out, in dist/: sh internal/packaging/release.sh URL MAINTAINER
# (docs/internals/releasing.md). Its version is the commit's tag; without one it is the pseudo-version by which Go knows the
# commit. Every date in it is the commit's.
set -eu
fail() {
	echo "release: $*" >&2
	exit 1
}

for program in go git tar gzip zip unzip; do
	command -v "$program" >/dev/null || fail "$program is missing: install it, and try again"
done
changed=$(git status --porcelain)
[ -z "$changed" ] || fail "a release is made of a commit, and this is not committed:
$changed"

cd "$(git rev-parse --show-toplevel)"
here=internal/packaging out=$PWD/dist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
mkdir -p "$out" "$work/tools"
umask 022

sh $here/build.sh "$(go env GOHOSTOS)" "$(go env GOHOSTARCH)" "$work/chatvault"
own() { HOME=$work XDG_CONFIG_HOME=$work XDG_STATE_HOME=$work "$work/chatvault" "$@"; }
version=$(own version | cut -d ' ' -f 2)
[ "$version" != dev ] || fail "Go finds no version here, as in a linked worktree: make the release in a clone"
SOURCE_DATE_EPOCH=$(git show -s --format=%ct HEAD)
URL=${1:-https://example.com/chatvault/releases/v$version} VERSION=$version
URL=${URL%/} MAINTAINER=${2:-The chatvault authors <chatvault@example.com>}
export URL VERSION MAINTAINER SOURCE_DATE_EPOCH

# tool installs a program of a Go module at a version, the same bytes everywhere.
tool() { GOBIN=$work/tools GOFLAGS=-trimpath go install "$1"; }
tool github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2
tool github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

# What goes along: the guide, the licences of what is inside, manual pages and completions.
also=$work/also
mkdir -p "$also/docs" "$also/completions"
cp LICENSE README.md CHANGELOG.md SECURITY.md "$also"
cp docs/*.md docs/*.svg "$also/docs"
cp -R docs/screens "$also/docs"
sh $here/notices.sh >"$also/NOTICES.txt"
own man --dir "$also/man/man1"
own completion bash >"$also/completions/chatvault.bash"
own completion zsh >"$also/completions/_chatvault"
own completion fish >"$also/completions/chatvault.fish"
own completion powershell >"$also/completions/chatvault.ps1"
find "$also" -type f -exec chmod 644 {} +

# systemPackage makes a package of a folder with the files of an archive: deb, rpm or apk, for an architecture.
systemPackage() {
	format=$1 from=$3
	export ARCH=$2 TREE=$work/$format-$2 PACKAGE_VERSION=$version
	doc=$TREE/doc
	mkdir -p "$TREE/man"
	cp -R "$from" "$doc"
	mv "$doc/chatvault" "$doc/completions" "$TREE"
	mv "$TREE/completions/chatvault.ps1" "$doc" # no folder of the system is for it
	mv "$doc"/man/man1/* "$TREE/man"
	rm -r "$doc/man"
	gzip -9n "$TREE"/man/*
	if [ "$format" = deb ]; then # as Debian's policy has it
		{
			cat "$doc/LICENSE"
			printf '\nThe libraries in the binary are under licences of their own, which\n/usr/share/doc/chatvault/NOTICES.txt.gz names and quotes.\n'
		} >"$doc/copyright"
		rm "$doc/LICENSE"
		gzip -9nc "$doc/CHANGELOG.md" >"$doc/changelog.gz"
		rm "$doc/CHANGELOG.md"
		find "$doc" -type f -size +4096c ! -name '*.svg' ! -name '*.png' ! -name '*.gz' ! -name copyright -exec gzip -9n {} +
		printf 'chatvault (%s-1) unstable; urgency=medium\n\n  * Release %s; changelog.gz says what is new.\n\n -- %s  %s\n' \
			"$(echo "$version" | sed 's/-/~/')" "$version" "$MAINTAINER" "$(date -Ru -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.Debian.gz"
		cp $here/lintian "$TREE/lintian"
	fi
	if [ "$format" = apk ]; then # its versions have few words behind the numbers
		PACKAGE_VERSION=$(echo "$version" | sed -E 's/-.*([0-9]{14})-.*/-git\1/; s/-(alpha|beta|rc)\.?([0-9]*)$/-\1\2/')
	fi
	find "$TREE" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
	"$work/tools/nfpm" package -f $here/nfpm.yaml -p "$format" -t "$out/" >"$work/said" 2>&1 || fail "$(cat "$work/said")"
}

for target in $(cat $here/targets); do
	echo "building $target" >&2
	os=${target%/*} arch=${target#*/}
	dir=$work/chatvault_${version}_${os}_$arch program=chatvault
	[ "$os" != windows ] || program=chatvault.exe
	cp -R "$also" "$dir"
	sh $here/build.sh "$os" "$arch" "$dir/$program"
	sh $here/pack.sh "$dir" "$out"
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch GOFLAGS=-mod=readonly "$work/tools/cyclonedx-gomod" app -json -licenses -std \
		-noserial -notimestamp -output "$out/$(basename "$dir").cdx.json" . 2>"$work/said" || fail "$(cat "$work/said")"
	[ "$os" != linux ] || for format in deb rpm apk; do systemPackage $format "$arch" "$dir"; done
	rm -r "$dir"
done
sh $here/recipes.sh "$out"
(cd "$out" && find . -type f | LC_ALL=C sort | sed 's|^\./||' | xargs sha256sum) >"$work/sums"
mv "$work/sums" "$out/SHA256SUMS"
(cd "$out" && find . -type f)
