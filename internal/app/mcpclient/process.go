package mcpclient

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/base/routine"
	"chatvault/internal/base/terminal"
)

// markName is the environment variable that identifies processes of a server that have left its group.
const markName = "CHATVAULT_MCP_SERVER"

// process is a server's program.
type process struct {
	*exec.Cmd
	dir string // its own working folder
}

// running are the processes that have not ended.
var running sync.Map // *process

// KillAll kills the processes of all servers and removes their folders, when the program cannot wait.
func KillAll() {
	running.Range(func(p, _ any) bool {
		p.(*process).kill()
		_ = os.RemoveAll(p.(*process).dir)
		return true
	})
}

// start starts the server's program. stop ends it with all processes that it started, and may be called again.
func (x *server) start(ctx context.Context) (t sdk.Transport, stop func(), err error) {
	env, err := x.config.Resolved(ctx, x.config.Env)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "chatvault-mcp-")
	if err != nil {
		return nil, nil, err
	}
	living, end := context.WithCancel(context.Background())
	p := &process{exec.CommandContext(living, x.config.Command, x.config.Args...), dir}
	p.Dir, p.Env = dir, append(environment(env, os.Getenv), markName+"="+dir)
	p.Stderr = &lines{note: x.appendLog}
	p.Cancel = func() error { p.terminate(); return nil }
	p.WaitDelay = closeTime // then it is killed
	ownGroup(p.Cmd)
	in, inErr := p.StdinPipe()
	out, outErr := p.StdoutPipe()
	if err = cmp.Or(inErr, outErr); err == nil {
		err = p.Start()
	}
	if err != nil {
		end()
		_ = os.RemoveAll(dir)
		return nil, nil, err
	}
	running.Store(p, nil)
	return &sdk.IOTransport{Reader: out, Writer: in}, sync.OnceFunc(func() {
		_ = in.Close()
		late := time.AfterFunc(closeTime, routine.Guard("mcp process", end))
		_ = p.Wait()
		late.Stop()
		end()
		p.kill() // its children
		running.Delete(p)
		_ = out.Close()
		_ = os.RemoveAll(dir)
	}), nil
}

// environment returns the environment of a server's process: PATH, HOME, LANG and the configured variables.
func environment(named map[string]string, getenv func(string) string) []string {
	env := []string{}
	for _, name := range []string{"PATH", "HOME", "LANG"} {
		if _, set := named[name]; !set && getenv(name) != "" {
			env = append(env, name+"="+getenv(name))
		}
	}
	for name, value := range named {
		env = append(env, name+"="+value)
	}
	return env
}

// lines passes on what is written to it, line by line.
type lines struct {
	note func(string)
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	all := slices.Concat(l.rest, p)
	for {
		line, rest, whole := bytes.Cut(all, []byte("\n"))
		if !whole {
			break
		}
		if said := strings.TrimSpace(terminal.StrictLine(string(line[:min(len(line), 4*maxLogLine)]))); said != "" {
			l.note(said)
		}
		all = rest
	}
	l.rest = bytes.Clone(all[:min(len(all), 4*maxLogLine)])
	return len(p), nil
}
