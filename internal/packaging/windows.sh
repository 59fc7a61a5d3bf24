#!/bin/sh
# Tries the program for Windows on a copy of the sample vault: sh internal/packaging/windows.sh. On other systems it runs in
# Wine, which WINE names. That must be Wine 10 or later: earlier ones lack calls that Go's runtime makes.
set -eu
cd "$(git rev-parse --show-toplevel)"
wine=${WINE:-wine}
skip() {
	echo "make windows: skipped: $*"
	exit 0
}
if [ "${OS:-}" = Windows_NT ]; then
	wine=env # the system runs the program itself
else
	command -v "$wine" >/dev/null || skip "there is no $wine here (Debian 13: apt-get install wine)"
	release=$("$wine" --version 2>/dev/null | sed -n 's/^wine-\([0-9]*\).*/\1/p')
	[ "${release:-0}" -ge 10 ] || skip "Wine ${release:-of an unknown version} cannot run Go's programs: Wine 10 or later can"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export WINEPREFIX="$work/prefix" WINEDEBUG=-all
sh internal/packaging/build.sh windows amd64 "$work/chatvault.exe"
cp -R testdata/vault "$work/vault"
vault=$work/vault failed=0
cv() { (cd "$vault" && timeout 120 "$wine" "$work/chatvault.exe" "$@" </dev/null 2>&1); }
wrong() {
	echo "FAIL $1"
	failed=1
}
# says TEXT ARGUMENTS… runs the program, which must print the text.
says() {
	want=$1
	shift
	said=$(cv "$@") || true
	case $said in *"$want"*) echo "ok   chatvault $*" ;; *) wrong "chatvault $* does not say \"$want\":
$said" ;; esac
}
# same FILE WANT compares a note with a file.
same() { cmp -s "$vault/$1" "$2" || wrong "$1 is not as it should be"; }

cv version >/dev/null || true # makes Wine's folders
says "windows/amd64" version
says "Ginger biscuits" ask --offline "what goes into the ginger biscuits?"
says "is writable" doctor
says "Recipes/Quick kimchi.md" tool list_files '{"pattern": "Recipes/*.md"}'

note="Recipes/Quick kimchi.md"
sed 's/$/\r/' "testdata/vault/$note" >"$vault/$note"
cp "$vault/$note" "$work/crlf.md"
sed 's/^# Quick/# Quicker/' "$work/crlf.md" >"$work/edited.md"
says "+# Quicker kimchi" tool edit_file "{\"path\": \"$note\", \"old_text\": \"# Quick kimchi\\n\\nYuki's\", \"new_text\": \"# Quicker kimchi\\n\\nYuki's\"}"
same "$note" "$work/edited.md"
says "restored" undo
same "$note" "$work/crlf.md"

says "Moved" tool move_file '{"source": "Recipes/Ginger biscuits.md", "destination": "Gran/Gran'\''s biscuits.md"}'
grep -q "Gran's biscuits" "$vault/People/Gran.md" || wrong "links do not follow the move"
says "back to Recipes/Ginger biscuits.md" undo
same "People/Gran.md" testdata/vault/People/Gran.md
says "Deleted" tool delete_file '{"path": "Recipes/Ginger biscuits.md"}'
says "restored" undo
same "Recipes/Ginger biscuits.md" "testdata/vault/Recipes/Ginger biscuits.md"
says "Created" tool write_file '{"path": "New/Deep/Note.md", "content": "one\ntwo\n"}'
says "CON" tool write_file '{"path": "CON.md", "content": "x"}'
says "edit_file" changes

[ "$failed" = 0 ]
