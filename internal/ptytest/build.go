//go:build unix

package ptytest

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// built caches the binaries that this test process has built.
var built struct {
	sync.Mutex
	dir   string
	paths map[string]string // by package and flags
}

// Build returns the path of a binary of a main package, which is built once per test process. pkg is the
// folder in the module ("." for the program itself), flags are flags of go build. TestMain must call
// RemoveBuilt after the tests.
func Build(t testing.TB, pkg string, flags ...string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	key := fmt.Sprint(pkg, flags)
	if p, ok := built.paths[key]; ok {
		return p
	}
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "ptytest-")
		if err != nil {
			t.Fatal(err)
		}
		built.dir, built.paths = dir, map[string]string{}
	}
	out := filepath.Join(built.dir, fmt.Sprintf("program-%d", len(built.paths)))
	module, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		t.Fatalf("ptytest: go list -m: %v", err)
	}
	args := append([]string{"build", "-buildvcs=false", "-o", out}, flags...) // its version is "dev" everywhere
	cmd := exec.Command("go", append(args, path.Join(strings.TrimSpace(string(module)), pkg))...)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ptytest: go build %s: %v\n%s", pkg, err, msg)
	}
	built.paths[key] = out
	return out
}

// RemoveBuilt removes the binaries that Build has built.
func RemoveBuilt() {
	built.Lock()
	defer built.Unlock()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	built.dir, built.paths = "", nil
}
