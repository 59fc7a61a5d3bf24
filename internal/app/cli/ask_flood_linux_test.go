package cli

import (
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"chatvault/internal/llmtest"
)

// fills waits until stdout's pipe is full.
func (p *program) fills() {
	p.t.Helper()
	fd := int(p.out.(*os.File).Fd()) //nolint:gosec // a file's number
	for before, since := 0, time.Now(); time.Since(since) < 500*time.Millisecond || before < 32<<10; time.Sleep(10 * time.Millisecond) {
		lies, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
		if err != nil {
			p.t.Fatal(err)
		}
		if lies != before {
			before, since = lies, time.Now()
		}
		if time.Since(since) > soon {
			p.t.Fatalf("only %d bytes came", lies)
		}
	}
}

// TestSecondInterruptEndsAtOnce also covers a reader that does not read.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	flood := []llmtest.Step{llmtest.Reply(words(100_000), llmtest.Hang())}
	p := run(t, newVault(t), flood, "ask", "do it")
	p.fills()
	began := time.Now()
	p.signal(syscall.SIGINT)
	time.Sleep(100 * time.Millisecond)
	p.signal(syscall.SIGINT)
	_ = p.Wait() // the status is checked
	if status := p.ProcessState.ExitCode(); status != 130 || time.Since(began) > soon {
		t.Errorf("%v after %v", p.ProcessState, time.Since(began))
	}
}
