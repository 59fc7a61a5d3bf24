package acp

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// TestOrder: a cancel is for the prompts that were sent before it, however the bytes come and whichever
// is taken up first.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines strings.Builder
		cancelled := map[string][]bool{} // of each session's prompts
		for range rapid.IntRange(0, 20).Draw(t, "lines") {
			id := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "session")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				fmt.Fprintf(&lines, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", id)
				for i := range cancelled[id] {
					cancelled[id][i] = true
				}
			case 1:
				fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"session/cancel"}]}}`+"\n", id)
				cancelled[id] = append(cancelled[id], false)
			default:
				lines.WriteString("session/prompt, and no JSON\n\n")
			}
		}
		var from io.Reader = strings.NewReader(lines.String())
		if rapid.Bool().Draw(t, "slow") {
			from = iotest.OneByteReader(from)
		}
		o := newOrder(from)
		close(o.ready)
		if got, err := io.ReadAll(o); err != nil || string(got) != lines.String() {
			t.Fatalf("read %q, %v", got, err)
		}
		for id, want := range cancelled {
			for i, c := range want {
				if got := o.begins(sessionID(id)); got != c {
					t.Fatalf("prompt %d of %s in\n%s: cancelled %v", i, id, lines.String(), got)
				}
			}
		}
	})
}
