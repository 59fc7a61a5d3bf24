#!/bin/sh
# Builds the program for a system: sh internal/packaging/build.sh VERSION OS ARCH FILE. Nothing else of the environment
# changes what is built.
set -eu
export CGO_ENABLED=0 GOOS="$2" GOARCH="$3" GOAMD64=v1 GOARM64=v8.0 GOFLAGS=-mod=readonly GOWORK=off GOEXPERIMENT= GOFIPS140=off
go build -trimpath -buildvcs=false -o "$4" -ldflags "-s -w -buildid= -X $(go list -m)/internal/app/cli.version=$1" .
