// Command packaging makes what chatvault is handed out as: static binaries in archives, packages for
// Debian and RPM, their checksums, a list of what is inside with each licence, and recipes for package
// managers. The same commit gives the same bytes, built by the same version of Go, wherever it lies and
// whenever it is built. docs/releasing.md says how it is used.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// release is what is made.
type release struct {
	version    string // semantic, without a v
	commit     string
	time       time.Time // of the commit
	root       string    // of the checkout
	url        string    // of the folder on the web where the archives will lie
	maintainer string    // name and address
}

func main() {
	version := flag.String("version", "", "the `version` to make, such as 0.1.0")
	out := flag.String("out", "dist", "the `folder` to make it in")
	url := flag.String("url", "", "the `address` that the archives will be found below")
	maintainer := flag.String("maintainer", "", "who answers for the packages: `Name <address>`")
	flag.Parse()
	if err := run(*version, *out, *url, *maintainer); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(version, out, url, maintainer string) error {
	r, err := newRelease(version, url, maintainer)
	if err != nil {
		return err
	}
	parts, err := r.components()
	if err != nil {
		return err
	}
	files, err := r.make(parts)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(out, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, f.mode); err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}

// semantic is a version as semver.org has it, without build metadata, which packages have no place for.
var semantic = regexp.MustCompile(`^v?((0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z][0-9A-Za-z.-]*)?)$`)

// newRelease reads what a release is made of from the checkout that the working folder is in. What is not
// committed would be in it under the commit's name, and is refused.
func newRelease(version, url, maintainer string) (r release, err error) {
	parts := semantic.FindStringSubmatch(version)
	if parts == nil {
		return r, fmt.Errorf("%q is no version: say one such as 0.1.0 (make dist VERSION=0.1.0)", version)
	}
	r.version = parts[1]
	var changed, epoch string
	for _, ask := range []struct {
		of   []string
		into *string
	}{
		{[]string{"rev-parse", "--show-toplevel"}, &r.root},
		{[]string{"rev-parse", "HEAD"}, &r.commit},
		{[]string{"show", "-s", "--format=%ct", "HEAD"}, &epoch},
		{[]string{"status", "--porcelain"}, &changed},
	} {
		said, err := exec.Command("git", ask.of...).Output()
		if err != nil {
			return r, fmt.Errorf("git %s: %w", strings.Join(ask.of, " "), explained(err))
		}
		*ask.into = strings.TrimRight(string(said), "\n")
	}
	if changed != "" {
		return r, fmt.Errorf("a release is made of a commit, and this is not committed:\n%s", changed)
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return r, err
	}
	r.time = time.Unix(seconds, 0).UTC()
	r.url = strings.TrimSuffix(cmp.Or(url, "https://example.com/chatvault/releases/v"+r.version), "/")
	r.maintainer = cmp.Or(maintainer, "The chatvault authors <chatvault@example.com>")
	return r, nil
}

// explained is an error of a program with what the program said.
func explained(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return err
}

// make makes all files of the release.
func (r release) make(parts []component) ([]file, error) {
	docs, err := r.documents(parts)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "chatvault-dist-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	own := target{runtime.GOOS, runtime.GOARCH}
	self, err := r.build(own, work)
	if err != nil {
		return nil, err
	}
	pages, err := r.told(filepath.Join(work, own.binary()), work)
	if err != nil {
		return nil, err
	}
	list, err := r.spdx(parts)
	if err != nil {
		return nil, err
	}
	made := []file{list}
	sums := map[target]string{}
	for _, t := range targets {
		fmt.Fprintln(os.Stderr, "building", t)
		bin := self
		if t != own {
			if bin, err = r.build(t, work); err != nil {
				return nil, err
			}
		}
		a, err := r.archive(t, append([]file{{t.binary(), 0o755, bin}}, append(docs, pages.archived()...)...))
		if err != nil {
			return nil, err
		}
		made = append(made, a)
		sums[t] = a.sum()
		if t.os != "linux" {
			continue
		}
		for _, format := range []string{"deb", "rpm"} {
			p, err := r.systemPackage(format, t, bin, docs, pages, work)
			if err != nil {
				return nil, fmt.Errorf("%s for %s: %w", format, t, err)
			}
			made = append(made, p)
		}
	}
	recipes, err := r.recipes(sums)
	if err != nil {
		return nil, err
	}
	made = append(made, recipes...)
	return append(made, checksums(made)), nil
}
