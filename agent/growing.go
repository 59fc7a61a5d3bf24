package agent

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

// grown says whether a call that is being written is worth showing anew: at its first piece,
// when its target becomes known, and as it grows, at most every growth. Piece is what was just
// appended.
func (t *callText) grown(piece string) bool {
	found := t.target == "" && t.findTarget(piece)
	n := t.arguments.Len()
	now := time.Now()
	if t.shown >= 0 && !found && (n == t.shown || now.Sub(t.shownAt) < growth) {
		return false
	}
	t.shown, t.shownAt = n, now
	return true
}

// findTarget looks for the target in what has arrived of the arguments. Only a piece that may
// end a member is worth a look.
func (t *callText) findTarget(piece string) bool {
	if t.name == "" || t.arguments.Len() > targetWithin || !strings.ContainsAny(piece, `",}`) {
		return false
	}
	t.target = tools.Target(t.name, wholeMembers(t.arguments.String()))
	return t.target != ""
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
