#!/bin/sh
# Runs the protocol's own client and acpx against chatvault acp, with the offline engine in a vault of its own, and
# validates every message against the protocol's schema. Usage: run.sh CHATVAULT
set -eu
cd "$(dirname "$0")"
program=$(realpath "$1")
[ -d node_modules ] || npm install --no-audit --no-fund --silent
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p "$home/notes/P" "$home/notes/Sub" "$home/c/chatvault"
printf '# Plums\n\nPlum jam needs sugar.\n' >"$home/notes/Plums.md"
printf 'the secret sauce\n' >"$home/notes/P/Secret.md"
printf 'the secret sauce\n' >"$home/notes/P/Geheimnis über.md"
ln -s notes "$home/link"
ln -s "$home/notes/P/Secret.md" "$home/elsewhere.md"
printf 'private = ["P/**"]\n' >"$home/c/chatvault/config.toml"
export HOME="$home" XDG_CONFIG_HOME="$home/c" XDG_STATE_HOME="$home/s" XDG_DATA_HOME="$home/d" CHATVAULT_KEYRING=off CHATVAULT_LOCAL_SERVERS=off
node client.mjs "$program" "$home"

acpx="./node_modules/.bin/acpx --cwd $home/notes"
agent="$program acp --offline"
check() { # NAME WANTED COMMAND…
	name=$1 wanted=$2
	shift 2
	out=$("$@" 2>&1) || true
	case $out in
	*"$wanted"*) echo "acpx: $name: ok" ;;
	*) echo "acpx: $name: FAILED, no “$wanted” in: $out" && exit 1 ;;
	esac
}
check exec sugar $acpx --agent "$agent" exec 'what does plum jam need?'
check 'sessions new' '' $acpx --agent "$agent" sessions new
check prompt sugar $acpx --agent "$agent" prompt 'what does plum jam need?'
check set-mode plan $acpx --agent "$agent" set-mode plan
check 'set mode' auto $acpx --agent "$agent" set mode auto
check 'set model' offline $acpx --agent "$agent" set model offline
check status '' $acpx --agent "$agent" status
check 'sessions close' '' $acpx --agent "$agent" sessions close
