package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
)

// assembler converts the pieces of tool calls to unambiguous deltas. Endpoints send them without an index or with index
// 0 for all, without ids, with names in two parts, or repeat a whole call at the end. The first delta of a call is held
// until its arguments begin, so that its name is complete.
type assembler struct {
	calls  []*pendingCall
	filled map[string]bool // tools with the dummy argument dialect.Filler
	extra  json.RawMessage // came before its call
	bound  int             // bytes of arguments
}

type pendingCall struct {
	ordinal int
	index   int    // of the endpoint; -1 if it sends none
	sentID  string // of the endpoint
	name    string
	args    []byte
	extra   json.RawMessage // extra_content
	shown   bool            // its first delta was returned
}

func newAssembler(req llm.Request, bound int) *assembler {
	a := &assembler{filled: map[string]bool{}, bound: bound}
	for _, t := range req.Tools {
		if dialect.Fills(t) {
			a.filled[t.Name] = true
		}
	}
	return a
}

// add reads a piece and returns the deltas that are certain.
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
		if err := endpoint.CheckCallCount(len(a.calls)); err != nil {
			return nil, err
		}
		c = &pendingCall{ordinal: len(a.calls), index: index, extra: a.extra}
		a.extra = nil
		a.calls = append(a.calls, c)
	} else if c.repeated(name, args) {
		return nil, nil
	}
	c.extra = overlaid(c.extra, p.ExtraContent)
	c.sentID = cmp.Or(c.sentID, id)
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

// rest returns the calls without arguments, and those with a dummy argument, which it removes.
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

// withoutFiller removes the dummy argument.
func withoutFiller(args []byte) []byte {
	var o map[string]json.RawMessage
	if json.Unmarshal(args, &o) != nil {
		return args
	}
	if _, has := o[dialect.Filler]; !has {
		return args
	}
	delete(o, dialect.Filler)
	out, _ := json.Marshal(o) // decoded values can be encoded
	return out
}

// find returns the call that a piece belongs to, or nil if it begins a new one.
func (a *assembler) find(index int, id, name, args string) *pendingCall {
	c := a.known(index, id, name)
	switch {
	case c == nil:
		return nil
	case id != "" && c.sentID != "" && id != c.sentID:
		return nil
	case name != "" && args != "" && c.complete() && !c.repeated(name, args):
		return nil // a second complete call with the same index or id
	}
	return c
}

// known returns the call with the index, else with the id. A piece without index, id and name belongs to the last call.
func (a *assembler) known(index int, id, name string) *pendingCall {
	switch {
	case index >= 0:
		if c := a.last(func(c *pendingCall) bool { return c.index == index }); c != nil {
			return c
		}
		if id == "" || name != "" {
			return nil
		}
		// The index drifts: the id is known and no call begins.
	case id == "" && name == "":
		return a.last(func(*pendingCall) bool { return true })
	case id == "":
		return nil
	}
	return a.last(func(c *pendingCall) bool { return c.sentID == id })
}

// last returns the latest matching call; indexes may be reused.
func (a *assembler) last(match func(*pendingCall) bool) *pendingCall {
	for _, c := range slices.Backward(a.calls) {
		if match(c) {
			return c
		}
	}
	return nil
}

// complete reports whether the arguments are a complete JSON object.
func (c *pendingCall) complete() bool {
	return len(c.args) > 0 && bytes.HasSuffix(bytes.TrimSpace(c.args), []byte("}")) && json.Valid(c.args)
}

// repeated reports whether a piece repeats the whole call, as some endpoints do at the end.
func (c *pendingCall) repeated(name, args string) bool {
	return args != "" && (name == c.name || name == "" && len(args) > 2) && args == string(c.args) && c.complete()
}

func (a *assembler) show(c *pendingCall) llm.ToolCallDelta {
	c.shown = true
	return llm.ToolCallDelta{Index: c.ordinal, ID: c.sentID, Name: c.name, Arguments: string(c.args)}
}
