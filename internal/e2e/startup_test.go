package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"chatvault/internal/ptytest"
)

// initAllocations limits the allocations of packages before main. Each takes time of every command, such as `chatvault
// tool`; tables and expressions are made on first use (sync.OnceValue).
const initAllocations = 11_000

// Chroma's package of languages parses its table at the start: about 5 ms. It has its own limit.
const (
	languagesPackage     = "github.com/alecthomas/chroma/v2/lexers"
	languagesAllocations = 33_000
)

func TestPackageInitializationIsShort(t *testing.T) {
	c := exec.Command(ptytest.Build(t, "."), "version")
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	c.Stderr = &trace
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	total, packages := 0, 0
	var most string
	mostAllocations := 0
	for s := bufio.NewScanner(&trace); s.Scan(); {
		// init chatvault/agent @1.2 ms, 0.01 ms clock, 47000 bytes, 491 allocs
		var name string
		var at, took float64
		var size, allocations int
		if n, _ := fmt.Sscanf(s.Text(), "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &took, &size, &allocations); n != 5 {
			continue
		}
		packages++
		if name == languagesPackage && allocations <= languagesAllocations {
			continue
		}
		total += allocations
		if allocations > mostAllocations {
			most, mostAllocations = name, allocations
		}
	}
	if packages < 50 || total > initAllocations {
		t.Errorf("%d packages make %d allocations before main, most of them %s (%d); at most %d are allowed",
			packages, total, most, mostAllocations, initAllocations)
	}
}
