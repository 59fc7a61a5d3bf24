package dialect

import (
	"crypto/sha256"
	"fmt"
	"math/big"

	"chatvault/agent/llm"
)

// IDs are the ids of the calls of a normal history, in order. A call that the target made itself has
// the id it came with. Others get one of nine letters and digits, which every endpoint takes, and
// which is the same in each request: it is made of the call's own id. No id occurs twice.
// form makes another kind of id; it may be nil.
func IDs(to Target, history []llm.Message, form func(name string, nth int) string) []string {
	var out []string
	used := map[string]bool{}
	for _, m := range history {
		for i := range m.ToolCalls {
			id := ""
			if e := Own(to, m); e != nil && !used[e.Calls[i].ID] {
				id = e.Calls[i].ID
				used[id] = true
			}
			out = append(out, id)
		}
	}
	nth := 0
	for _, m := range history {
		for _, c := range m.ToolCalls {
			for try := 0; out[nth] == ""; try++ {
				id := newID(form, c, nth, try)
				if !used[id] {
					out[nth], used[id] = id, true
				}
			}
			nth++
		}
	}
	return out
}

// newID is an id for the nth call of a history: nine letters and digits, unless it has a form.
func newID(form func(name string, nth int) string, c llm.ToolCall, nth, try int) string {
	if form != nil {
		return form(Name(c.Name), nth+try)
	}
	text := c.ID
	if try > 0 {
		text = fmt.Sprintf("%s %d", c.ID, try)
	}
	const length, base = 9, 62
	sum := sha256.Sum256([]byte(text))
	s := new(big.Int).SetBytes(sum[:]).Text(base)
	return s[len(s)-length:]
}
