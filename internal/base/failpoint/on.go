//go:build failpoints

package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Naive reports whether files are written without protection against a crash.
var Naive = os.Getenv("CHATVAULT_FAILPOINT_NAIVE") != ""

var config = read()

// plan is the configuration from the environment.
type plan struct {
	kill bool   // kill the process instead of panicking
	name string // failpoint, or "*" for any; empty for none
	at   int    // number of the pass at which to fail, from one
	when string // file that must exist for a pass to count; empty for none
	log  string // file to append names to; empty for none

	mu   sync.Mutex
	seen int // passes of name so far
}

func read() *plan {
	p := &plan{when: os.Getenv("CHATVAULT_FAILPOINT_WHEN"), log: os.Getenv("CHATVAULT_FAILPOINT_LOG")}
	if f := strings.Fields(os.Getenv("CHATVAULT_FAILPOINT")); len(f) > 2 {
		p.kill, p.name = f[0] == "kill", strings.Join(f[1:len(f)-1], " ")
		p.at, _ = strconv.Atoi(f[len(f)-1])
	}
	return p
}

// Pass marks the failpoint with the given name. It fails as configured by the environment.
func Pass(name string) {
	p := config
	if p.name == "" && p.log == "" {
		return
	}
	if p.when != "" {
		if _, err := os.Stat(p.when); err != nil {
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.log != "" {
		if f, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
			_, _ = fmt.Fprintln(f, name)
			_ = f.Close()
		}
	}
	if p.name != "*" && p.name != name {
		return
	}
	p.seen++
	if p.seen != p.at {
		return
	}
	if p.kill {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	panic("on purpose at the failpoint " + name)
}
