package acp

import (
	"bufio"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"
)

// TestOrder checks that nothing is forwarded after a prompt or a cancel before that has been handled, for any split
// of the bytes and any scheduling.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines strings.Builder
		for range rapid.IntRange(0, 20).Draw(t, "lines") {
			lines.WriteString(rapid.SampledFrom([]string{
				`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"a"}}`,
				`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"a","prompt":[{"type":"text","text":"\"session/cancel\""}]}}`,
				`{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"text":"\"session/prompt\""}}`,
				"session/prompt, and no JSON\n",
			}).Draw(t, "line") + "\n")
		}
		var from io.Reader = strings.NewReader(lines.String())
		if rapid.Bool().Draw(t, "slow") {
			from = iotest.OneByteReader(from)
		}
		o := newOrder(from)
		close(o.ready)
		var running atomic.Int32
		for in := bufio.NewScanner(o); in.Scan(); {
			if running.Load() != 0 {
				t.Fatalf("%s was forwarded before the line above it was handled", in.Text())
			}
			if strings.Contains(in.Text(), `"method":"session/prompt"`) || strings.Contains(in.Text(), `"method":"session/cancel"`) {
				running.Add(1)
				go func() { // as the SDK does
					runtime.Gosched()
					running.Add(-1)
					o.done()
				}()
			}
		}
	})
}

// TestTooLong checks that a line too long for the SDK is dropped, that a short request takes the place of a request, and that
// later lines are forwarded.
func TestTooLong(t *testing.T) {
	const after = `{"jsonrpc":"2.0","id":9,"method":"session/list","params":{}}` + "\n"
	for _, c := range []struct {
		line string
		want string // what is forwarded instead
	}{
		{`{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"text":"` + strings.Repeat("x", maxLine) + `"}}`, `{"id":7,"method":"too long"}` + "\n"},
		{`{"method":"session/prompt", "id": "a","params":{"id":1,"text":"` + strings.Repeat("x", maxLine) + `"}}`, `{"id":"a","method":"too long"}` + "\n"},
		{`{"id":7,"result":{"content":"` + strings.Repeat("x", maxLine) + `"}}`, ""},
		{strings.Repeat("x", 2*maxLine), ""},
	} {
		o := newOrder(strings.NewReader(c.line + "\n" + after))
		close(o.ready)
		got, err := io.ReadAll(o)
		if string(got) != c.want+after || err != nil {
			t.Errorf("%.60s…: %d bytes, %v", c.line, len(got), err)
		}
	}
	long := `{"text":"` + strings.Repeat("x", maxLine-12) + `"}` + "\n"
	o := newOrder(strings.NewReader(long))
	close(o.ready)
	if got, err := io.ReadAll(o); string(got) != long || err != nil {
		t.Errorf("%d bytes of %d, %v", len(got), len(long), err)
	}
}

// TestOrderIgnoresEarlierDone: what has taken effect late, or was no prompt, does not let a cancel overtake a prompt.
func TestOrderIgnoresEarlierDone(t *testing.T) {
	prompt := `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"a","prompt":[]}}` + "\n"
	cancel := `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"a"}}` + "\n"
	o := newOrder(strings.NewReader(prompt + cancel))
	close(o.ready)
	o.done()
	var handled atomic.Bool
	for in := bufio.NewScanner(o); in.Scan(); {
		if !strings.Contains(in.Text(), "session/prompt") {
			if !handled.Load() {
				t.Fatal("the cancel was forwarded before the prompt was handled")
			}
			continue
		}
		go func() {
			time.Sleep(50 * time.Millisecond)
			handled.Store(true)
			o.done()
		}()
	}
}
