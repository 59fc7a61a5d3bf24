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

// built keeps the binaries of this test process.
var built struct {
	sync.Mutex
	dir   string
	paths map[string]string
}

// Build builds a main package, named by its folder in the module ("." is the program),
// once for the whole test process, and returns the path of the binary. Call
// RemoveBuilt when the tests are done, from TestMain.
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
	args := append([]string{"build", "-o", out}, flags...)
	cmd := exec.Command("go", append(args, path.Join(strings.TrimSpace(string(module)), pkg))...)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ptytest: go build %s: %v\n%s", pkg, err, msg)
	}
	built.paths[key] = out
	return out
}

// RemoveBuilt removes the binaries that Build made.
func RemoveBuilt() {
	built.Lock()
	defer built.Unlock()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	built.dir, built.paths = "", nil
}
