package acp

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// TestOrder checks that a cancel applies to the prompts sent before it, however the bytes are split and whichever is
// handled first.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines strings.Builder
		cancelled := map[string][]bool{} // by session, for each of its prompts
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

// TestTooLong checks that a line too long for the SDK is dropped, that its request gets an answer, and that later
// lines are forwarded.
func TestTooLong(t *testing.T) {
	const after = `{"jsonrpc":"2.0","id":9,"method":"session/list","params":{}}` + "\n"
	for _, c := range []struct {
		line string
		want string // the ID that is answered
	}{
		{`{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"text":"` + strings.Repeat("x", maxLine) + `"}}`, "7"},
		{`{"method":"session/prompt", "id": "a","params":{"id":1,"text":"` + strings.Repeat("x", maxLine) + `"}}`, `"a"`},
		{`{"id":7,"result":{"content":"` + strings.Repeat("x", maxLine) + `"}}`, ""},
		{strings.Repeat("x", 2*maxLine), ""},
	} {
		o := newOrder(strings.NewReader(c.line + "\n" + after))
		refused := ""
		o.tooLong = func(id json.RawMessage) { refused += string(id) }
		close(o.ready)
		got, err := io.ReadAll(o)
		if string(got) != after || err != nil || refused != c.want {
			t.Errorf("%.60s…: %d bytes, %v, answered %s", c.line, len(got), err, refused)
		}
	}
	long := `{"text":"` + strings.Repeat("x", maxLine-12) + `"}` + "\n"
	o := newOrder(strings.NewReader(long))
	close(o.ready)
	if got, err := io.ReadAll(o); string(got) != long || err != nil {
		t.Errorf("%d bytes of %d, %v", len(got), len(long), err)
	}
}
