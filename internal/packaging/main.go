// Command packaging writes what a release says of the code of others in it: NOTICES.txt with their licences, and a
// list in the form of SPDX 2.3. dist.sh, beside it, makes the release; docs/internals/releasing.md says how it is used.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// release is what is made.
type release struct {
	version string // semantic, without a v
	commit  string
	time    time.Time // of the commit
	root    string    // of the checkout
}

func main() {
	version := flag.String("version", "", "the `version` of the release")
	commit := flag.String("commit", "", "its `commit`")
	at := flag.Int64("time", 0, "the commit's time in `seconds` since 1970")
	texts := flag.String("notices", "", "the `file` for the licences")
	list := flag.String("spdx", "", "the `file` for the list")
	flag.Parse()
	r := release{*version, *commit, time.Unix(*at, 0).UTC(), filepath.Join("..", "..")}
	if err := r.write(*texts, *list); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func (r release) write(texts, list string) error {
	parts, err := r.components()
	if err != nil {
		return err
	}
	data, err := r.spdx(parts)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(texts, notices(parts), 0o644), os.WriteFile(list, data, 0o644))
}

// target is a system that binaries are made for.
type target struct{ os, arch string }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

// goFor is the go command for a target.
func (r release) goFor(t target, args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Dir = r.root
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS=-mod=readonly", "GOWORK=off")
	return c
}

// explained is an error of a program with what the program said.
func explained(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return err
}
