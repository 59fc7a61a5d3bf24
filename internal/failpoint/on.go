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

// Naive says whether files are to be written carelessly.
var Naive = os.Getenv("CHATVAULT_FAILPOINT_NAIVE") != ""

var wanted = read()

type plan struct {
	kill bool
	name string
	at   int
	when string
	log  string

	mu   sync.Mutex
	seen int
}

func read() *plan {
	p := &plan{when: os.Getenv("CHATVAULT_FAILPOINT_WHEN"), log: os.Getenv("CHATVAULT_FAILPOINT_LOG")}
	text := os.Getenv("CHATVAULT_FAILPOINT")
	if text == "" {
		return p
	}
	action, rest, _ := strings.Cut(text, " ")
	i := strings.LastIndexByte(rest, ' ')
	if i < 0 || action != "kill" && action != "panic" {
		panic("CHATVAULT_FAILPOINT wants: kill NAME N, or panic NAME N; it is " + text)
	}
	at, err := strconv.Atoi(rest[i+1:])
	if err != nil {
		panic("CHATVAULT_FAILPOINT wants a number at its end; it is " + text)
	}
	p.kill, p.name, p.at = action == "kill", rest[:i], at
	return p
}

// Pass is called at the place called name.
func Pass(name string) {
	p := wanted
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
