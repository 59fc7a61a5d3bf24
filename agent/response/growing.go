package response

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"chatvault/tools"
)

const (
	// growth is the time between two ToolCallDeltas of a call whose arguments grow.
	growth = 100 * time.Millisecond

	// targetWithin bounds the beginning of the arguments in which a call's target is looked
	// for, in bytes: most calls name it first.
	targetWithin = 4 << 10
)

// Grown says whether a call that is being written is worth showing anew: at its first piece,
// when its target becomes known, and as it grows, at most every growth. Piece is what was just
// appended.
func (t *Call) Grown(piece string) bool {
	found := t.Target == "" && t.findTarget(piece)
	n := t.Arguments.Len()
	now := time.Now()
	if t.Shown >= 0 && !found && (n == t.Shown || now.Sub(t.shownAt) < growth) {
		return false
	}
	t.Shown, t.shownAt = n, now
	return true
}

// findTarget looks for the target in what has arrived of the arguments. Only a piece that may
// end a member is worth a look.
func (t *Call) findTarget(piece string) bool {
	if t.Name == "" || t.Arguments.Len() > targetWithin || !strings.ContainsAny(piece, `",}`) {
		return false
	}
	t.Target = tools.Target(t.Name, wholeMembers(t.Arguments.String()))
	return t.Target != ""
}

// wholeMembers is the JSON object made of those members that are whole in the beginning of one.
func wholeMembers(beginning string) json.RawMessage {
	dec := json.NewDecoder(strings.NewReader(beginning))
	out := bytes.NewBufferString("{")
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return json.RawMessage("{}")
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil || dec.InputOffset() == int64(len(beginning)) && !closed(value) {
			break
		}
		key, err := json.Marshal(name)
		if err != nil {
			break
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

// closed says whether a value at the very end is whole whatever follows: 1 may become 12.
func closed(value json.RawMessage) bool {
	return strings.IndexByte(`"}]`, value[len(value)-1]) >= 0
}
