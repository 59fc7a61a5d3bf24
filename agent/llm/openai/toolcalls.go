package openai

import (
	"bytes"
	"cmp"
	"encoding/json"

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
	if given(p.ExtraContent) {
		c.extra = p.ExtraContent
	}
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
	if json.Unmarshal(args, &o) != nil || o[dialect.Filler] == nil {
		return args
	}
	delete(o, dialect.Filler)
	out, _ := json.Marshal(o) // decoded values can be encoded
	return out
}

// find returns the call that a piece belongs to, or nil if it begins a new one. That is the latest call with its index, or
// with its id if it has no index or the index drifts. A piece without index, id and name belongs to the last call.
func (a *assembler) find(index int, id, name, args string) *pendingCall {
	i := len(a.calls) - 1
	for ; i >= 0; i-- {
		c := a.calls[i]
		byIndex := index >= 0 && c.index == index
		byID := id != "" && c.sentID == id && (index < 0 || name == "")
		if byIndex || byID || index < 0 && id == "" && name == "" {
			break
		}
	}
	if i < 0 {
		return nil
	}
	c := a.calls[i]
	another := id != "" && c.sentID != "" && id != c.sentID
	if complete := name != "" && args != "" && c.complete(); another || complete && !c.repeated(name, args) {
		return nil // a second call with the same index or id
	}
	return c
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
