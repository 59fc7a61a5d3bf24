#!/bin/sh
# Prints what the licences of the code in the binaries require to keep: sh internal/packaging/notices.sh, in the folder of
# the module. It fails if a licence is missing or not among those that allow it.
set -eu
allowed='permission is hereby granted, free of charge|redistribution and use in source and binary forms|apache license|permission to use, copy, modify, and/?o?r? ?distribute|free and unencumbered software|cc0 1\.0 universal|this software is provided .as-is'
refused='gnu (affero |lesser |library )?general public license|mozilla public license|server side public license|business source license|commons clause|european union public licence|eclipse public license|cc-by-nc|creative commons attribution-'
targets=$(dirname "$0")/targets
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quote NAME FOLDER… prints the licences and notices in the folders, and checks them.
quote() {
	name=$1
	shift
	find "$@" -maxdepth 1 -type f ! -name '*.go' | grep -iE '/((licen[cs]e|copying|unlicense)([-._][^/]*)?|(notice|patents)(\.(md|txt))?)$' | LC_ALL=C sort -u >"$work/files" || true
	while read -r file; do cat "$file"; echo; done <"$work/files" >"$work/text"
	tr -s '\r\n\t ' ' ' <"$work/text" | tr '[:upper:]' '[:lower:]' >"$work/flat"
	grep -qE "$allowed" "$work/flat" || { echo "notices: $name has no licence that is known to allow it" >&2; exit 1; }
	! grep -oE "$refused" "$work/flat" >&2 || { echo "notices: the licence of $name does not allow it" >&2; exit 1; }
	printf '%s\n%s\n\n' ------------------------------------------------------------------------ "$name"
	cat "$work/text"
}

for target in $(cat "$targets"); do
	CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} GOFLAGS=-mod=readonly GOWORK=off \
		go list -deps -f '{{$d := .Dir}}{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{"\t"}}{{$d}}{{end}}{{end}}' .
done | LC_ALL=C sort -u >"$work/packages"

# The table of models is data of a module that is not built in.
data=$(gzip -dc agent/llm/models/models.json.gz | sed -n '1s/^# \([^ ]*\) \([^ ,]*\).*/\1@\2/p')
archive=$(go mod download -json "$data" 2>/dev/null | sed -n 's/^.*"Zip": "\(.*\)",*$/\1/p') # fails if it requires a newer Go, after fetching it
mkdir "$work/data"
unzip -qj "$archive" "$data/LICENSE*" -d "$work/data"

echo "chatvault is under the MIT License (see LICENSE). Its binary contains code under these licences:"
echo
quote "Go $(go env GOVERSION)" "$(go env GOROOT)"
quote "$data" "$work/data"
cut -f 1 "$work/packages" | uniq | while read -r path version; do
	awk -F '\t' -v name="$path $version" '$1 == name { print $2; print $3 }' "$work/packages" | sort -u >"$work/folders"
	set --
	while read -r folder; do set -- "$@" "$folder"; done <"$work/folders"
	quote "$path $version" "$@"
done
