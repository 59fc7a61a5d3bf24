package openai

import (
	"bytes"
	"encoding/json"
	"slices"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
)

// assembler makes unambiguous deltas of what endpoints send of tool calls: without index or
// with 0 for each call, without id, a name in two parts, a whole call repeated as a summary.
//
// A call's first delta is held until its arguments begin, for its name to be whole.
type assembler struct {
	calls  []*pendingCall
	used   map[string]bool // ids of the history and of this response
	filled map[string]bool // tools that have the argument dialect.Filler in the place of none
	extra  json.RawMessage // came before the call it belongs to
	bound  int             // bytes of arguments
}

type pendingCall struct {
	ordinal int
	index   int    // as the endpoint counts; -1 where it does not
	sentID  string // under which the endpoint knows it
	name    string
	args    []byte
	extra   json.RawMessage // extra_content
	shown   bool            // its first delta is out
}

func newAssembler(req llm.Request, bound int) *assembler {
	a := &assembler{used: endpoint.UsedIDs(req), filled: map[string]bool{}, bound: bound}
	for _, t := range req.Tools {
		if dialect.Fills(t) {
			a.filled[t.Name] = true
		}
	}
	return a
}

// add takes a piece and returns the deltas that are sure by now.
func (a *assembler) add(p toolPart) ([]llm.ToolCallDelta, error) {
	id, name, args := string(p.ID), string(p.Function.Name), string(p.Function.Arguments)
	index := -1
	if p.Index != nil {
		index = int(*p.Index)
	}
	c := a.find(index, id, name, args)
	if c == nil && id+name+args == "" && len(p.ExtraContent) > 0 {
		a.extra = p.ExtraContent
		return nil, nil
	}
	if c == nil {
		if err := endpoint.TooMany(len(a.calls)); err != nil {
			return nil, err
		}
		c = &pendingCall{ordinal: len(a.calls), index: index, extra: a.extra}
		a.extra = nil
		a.calls = append(a.calls, c)
	} else if c.repeated(name, args) {
		return nil, nil
	}
	c.extra = overlaid(c.extra, p.ExtraContent)
	if c.sentID == "" && id != "" {
		c.sentID = id
	}
	if !c.shown && name != c.name {
		c.name += name
	}
	if len(c.args)+len(args) > a.bound {
		return nil, endpoint.TooLarge("the arguments of a tool call are larger than", a.bound)
	}
	c.args = append(c.args, args...)
	if len(c.args) == 0 || c.shown && args == "" || a.filled[c.name] {
		return nil, nil
	}
	if c.shown {
		return []llm.ToolCallDelta{{Index: c.ordinal, Arguments: args}}, nil
	}
	return []llm.ToolCallDelta{a.show(c)}, nil
}

// rest returns the calls that never got arguments, and those whose argument is none of the tool's.
func (a *assembler) rest() []llm.ToolCallDelta {
	var all []llm.ToolCallDelta
	for _, c := range a.calls {
		if c.shown {
			continue
		}
		if len(c.args) == 0 {
			c.args = append(c.args, "{}"...)
		}
		if a.filled[c.name] {
			c.args = withoutFiller(c.args)
		}
		all = append(all, a.show(c))
	}
	return all
}

// withoutFiller is arguments without the one that the tool does not have.
func withoutFiller(args []byte) []byte {
	var o map[string]json.RawMessage
	if json.Unmarshal(args, &o) != nil {
		return args
	}
	if _, has := o[dialect.Filler]; !has {
		return args
	}
	delete(o, dialect.Filler)
	out, _ := json.Marshal(o) // it was decoded: cannot fail
	return out
}

// find returns the call a piece belongs to, nil where it begins a new one.
func (a *assembler) find(index int, id, name, args string) *pendingCall {
	c := a.known(index, id, name)
	switch {
	case c == nil:
		return nil
	case id != "" && c.sentID != "" && id != c.sentID:
		return nil
	case name != "" && args != "" && c.complete() && !c.repeated(name, args):
		return nil // a second whole call under the same index, or the same id
	}
	return c
}

// known returns the call begun under the index, else under the id; a piece that has neither and
// no name goes on with the last call.
func (a *assembler) known(index int, id, name string) *pendingCall {
	switch {
	case index >= 0:
		if c := a.last(func(c *pendingCall) bool { return c.index == index }); c != nil {
			return c
		}
		if id == "" || name != "" {
			return nil
		}
		// An index that drifts: the id is known and nothing says that a call begins.
	case id == "" && name == "":
		return a.last(func(*pendingCall) bool { return true })
	case id == "":
		return nil
	}
	return a.last(func(c *pendingCall) bool { return c.sentID == id })
}

// last returns the latest call that matches: an index may be used again.
func (a *assembler) last(match func(*pendingCall) bool) *pendingCall {
	for _, c := range slices.Backward(a.calls) {
		if match(c) {
			return c
		}
	}
	return nil
}

// complete says that the arguments are a JSON object already: nothing can follow.
func (c *pendingCall) complete() bool {
	return len(c.args) > 0 && bytes.HasSuffix(bytes.TrimSpace(c.args), []byte("}")) && json.Valid(c.args)
}

// repeated says that a piece is the whole call once more, as some endpoints send at the end.
func (c *pendingCall) repeated(name, args string) bool {
	return args != "" && (name == c.name || name == "" && len(args) > 2) && args == string(c.args) && c.complete()
}

func (a *assembler) show(c *pendingCall) llm.ToolCallDelta {
	c.shown = true
	return llm.ToolCallDelta{Index: c.ordinal, ID: llm.FreshID(c.sentID, a.used), Name: c.name, Arguments: string(c.args)}
}
