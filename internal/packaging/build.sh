#!/bin/sh
# Builds the program for a system: sh internal/packaging/build.sh OS ARCH FILE. Its version is that of the commit's tag, or
# Go's pseudo-version. Nothing else of the environment changes what is built.
set -eu
export CGO_ENABLED=0 GOOS="$1" GOARCH="$2" GOAMD64=v1 GOARM64=v8.0 GOFLAGS=-mod=readonly GOWORK=off GOEXPERIMENT= GOFIPS140=off
go build -trimpath -buildvcs=true -o "$3" -ldflags "-s -w -buildid=" .
