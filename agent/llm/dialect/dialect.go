// Package dialect makes the body of a chat-completions request, and what the other APIs' requests have in
// common with it. It does so in two steps, both pure functions of messages and tool specs:
//
//   - a normal form that every endpoint accepts (messages.go, schema.go): one system message, first;
//     then the user and the assistant by turns; each call answered once, right after it; no message
//     without content; schemas of a few keywords, whose objects and arrays say what is in them;
//   - what only one endpoint needs, which its Dialect says as data (table.go).
//
// What an endpoint sent with an answer goes back to that endpoint alone, as it came: ids of calls and
// reasoning (echo.go). So a conversation that was begun with one provider is valid with any other.
package dialect

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"chatvault/agent/llm"
)

// Target is where a request goes.
type Target struct {
	Endpoint string // what is taken to be one and the same has the same
	Model    string
	Effort   string // how much the model is to reason; empty leaves it to the endpoint
	Progress bool   // llama.cpp: how far the prompt is read is reported
}

// Dialect says in what an endpoint differs from the normal form. Its zero value differs in nothing:
// it is that of an endpoint that is not known.
type Dialect struct {
	Name   string
	Also   []string // other names that people configure it under
	Hosts  []string // its hosts, and those below them
	Models []string // beginnings of the names of its models, where nothing else tells

	// MaxTokens is the name of the field that limits a completion; empty: max_tokens.
	MaxTokens string
	// Back names what goes back, with messages that called tools, to where it came from; nil: all
	// that came.
	Back []string
	// WithCalls are fields that each message with calls must have, whoever made these: they are
	// added where they are missing.
	WithCalls fields
	// WithCall are fields that each call must have which another endpoint, or another model, made.
	WithCall fields
	// ThoughtsInContent says that thoughts the content began with go back where they were.
	ThoughtsInContent bool
	// NotBothThoughtsAndText says that a message with calls must not have both.
	NotBothThoughtsAndText bool
	// ID makes the id of a call that another endpoint made; nil: nine letters and digits.
	ID func(name string, nth int) string
	// ToolChoice says that tool_choice is known to be taken beside tools; NoToolChoice, that it must not
	// be there even where no tool is offered but for the sake of the history.
	ToolChoice, NoToolChoice bool
	// CacheKey is the name of the field that says which requests begin alike; empty: there is none.
	CacheKey string
	// Cached is the beginning of the names of models whose prompts are cached only up to marks in them; empty: none.
	Cached string
	// Documents says that a message may hold documents, as files.
	Documents bool
	// Effort are the fields that say how much a model is to reason; nil: reasoning_effort. OnlyEfforts are
	// those that can be told here, whatever the model knows; nil: the model's. CanBeOff says that it may also be
	// told not to reason where the model's do not say so.
	Effort      func(effort string) fields
	OnlyEfforts []string
	CanBeOff    bool
	// Request are fields of the request, by the beginnings of the names of the models they are for.
	Request []addition
}

// fields are the members of a JSON object: their names, and their values as JSON.
type fields map[string]string

// addition is what some models want in a request.
type addition struct {
	models []string // beginnings of their names; "" stands for all
	tools  bool     // only where tools are offered
	fields fields
}

// fieldsFor are the fields of a request to a model.
func (d *Dialect) fieldsFor(model string, tools bool) fields {
	out := fields{}
	for _, a := range d.Request {
		if a.tools && !tools || !slices.ContainsFunc(a.models, func(p string) bool { return strings.HasPrefix(PlainModel(model), p) }) {
			continue
		}
		maps.Copy(out, a.fields)
	}
	return out
}

// Body is a request as it is sent.
func (d *Dialect) Body(to Target, req llm.Request) ([]byte, error) {
	history := Normal(req.Messages)
	messages := d.messages(to, history)
	if d.Cached != "" && strings.HasPrefix(strings.ToLower(to.Model), d.Cached) {
		mark(messages)
	}
	tools, none := offered(req.Tools), req.NoCalls && d.ToolChoice
	if len(tools) == 0 {
		tools, none = offered(Called(history)), !d.NoToolChoice
	}
	body := object{
		{"model", to.Model}, {"messages", messages}, {"stream", true},
	}
	if len(tools) > 0 {
		body = append(body, member{"tools", tools})
		if none {
			body = append(body, member{"tool_choice", "none"})
		}
	}
	body = append(body, member{"stream_options", object{{"include_usage", true}}})
	if req.MaxTokens > 0 {
		body = append(body, member{cmp.Or(d.MaxTokens, "max_tokens"), req.MaxTokens})
	}
	if req.Literal {
		body = append(body, member{"temperature", 0.1})
	}
	if req.Schema != nil {
		body = append(body, member{"response_format", object{{"type", "json_schema"}, {"json_schema", object{{"name", "reply"}, {"strict", true}, {"schema", req.Schema}}}}})
	}
	if to.Progress {
		body = append(body, member{"return_progress", true})
	}
	if d.CacheKey != "" && req.CacheKey != "" {
		body = append(body, member{d.CacheKey, req.CacheKey})
	}
	return json.Marshal(body.with(d.effort(to.Effort)).with(d.fieldsFor(to.Model, len(tools) > 0)))
}

// Called are specs of the tools that a history calls, for a request that offers none: an endpoint may
// refuse calls of tools that it was not told of.
func Called(history []llm.Message) []llm.ToolSpec {
	var out []llm.ToolSpec
	seen := map[string]bool{}
	for _, m := range history {
		for _, c := range m.ToolCalls {
			if name := Name(c.Name); !seen[name] {
				seen[name] = true
				out = append(out, llm.ToolSpec{Name: name, Description: "It cannot be called now."})
			}
		}
	}
	return out
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// get is the value of a member; nil where there is none.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// with is the object with fields added at its end, by their names, that it does not have.
func (o object) with(add fields) object {
	for _, name := range slices.Sorted(maps.Keys(add)) {
		if o.get(name) == nil {
			o = append(o, member{name, json.RawMessage(add[name])})
		}
	}
	return o
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(m.name) // of a string: cannot fail
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// generic is what a provider is called that is only said to speak the protocol: its name says who
// made it where its address does too.
const generic = "openai"

// For is the dialect of an endpoint: that of the provider of its name, else that of its host, else that
// of the maker of its model, else Unknown. A provider called openai that is at another address than
// OpenAI's is any that speaks the protocol.
//
// A model's name does not tell what its endpoint takes back, which gets what it sent, nor which fields of
// the maker's own it knows.
func For(name, baseURL, model string) *Dialect {
	host := hostOf(baseURL)
	name = strings.ToLower(strings.TrimSpace(name))
	byHost := find(func(d *Dialect) bool {
		return slices.ContainsFunc(d.Hosts, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) })
	})
	byName := find(func(d *Dialect) bool { return d.Name == name || slices.Contains(d.Also, name) })
	if name == generic && (byHost == nil || byHost.Name != generic) {
		byName = nil
	}
	byModel := find(func(d *Dialect) bool {
		return slices.ContainsFunc(d.Models, func(p string) bool { return strings.HasPrefix(PlainModel(model), p) })
	})
	switch {
	case byName != nil:
		return byName
	case byHost != nil:
		return byHost
	case byModel != nil:
		hosted := *byModel
		hosted.Back, hosted.CacheKey, hosted.Documents = nil, "", false
		return &hosted
	}
	return &Unknown
}

// find is the first dialect that fits; nil: none does.
func find(fits func(*Dialect) bool) *Dialect {
	for i := range Dialects {
		if fits(&Dialects[i]) {
			return &Dialects[i]
		}
	}
	return nil
}

func hostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

// PlainModel is a model's name without the folders some endpoints put before it, in lower case.
func PlainModel(model string) string {
	model = strings.ToLower(model)
	return model[strings.LastIndexByte(model, '/')+1:]
}
