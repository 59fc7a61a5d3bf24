package dialect

import (
	"crypto/sha256"
	"fmt"
	"math/big"

	"chatvault/agent/llm"
)

// ids are the ids of the calls of a normal history, in order. A call that the target made itself has
// the id it came with. Others get one of nine letters and digits, which every endpoint takes, and
// which is the same in each request: it is made of the call's own id. No id occurs twice.
func (d *Dialect) ids(to Target, history []llm.Message) []string {
	var out []string
	used := map[string]bool{}
	for _, m := range history {
		for i := range m.ToolCalls {
			id := ""
			if e := own(to, m); e != nil && !used[e.Calls[i].ID] {
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
				id := d.newID(c, nth, try)
				if !used[id] {
					out[nth], used[id] = id, true
				}
			}
			nth++
		}
	}
	return out
}

// newID is an id for the nth call of a history.
func (d *Dialect) newID(c llm.ToolCall, nth, try int) string {
	if d.ID != nil {
		return d.ID(Name(c.Name), nth+try)
	}
	text := c.ID
	if try > 0 {
		text = fmt.Sprintf("%s %d", c.ID, try)
	}
	return nineOf(text)
}

// nineOf is nine letters and digits made of a text.
func nineOf(text string) string {
	const length, base = 9, 62
	sum := sha256.Sum256([]byte(text))
	s := new(big.Int).SetBytes(sum[:]).Text(base)
	return s[len(s)-length:]
}
