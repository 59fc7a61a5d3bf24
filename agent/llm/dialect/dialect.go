// Package dialect builds chat-completions requests, and the parts of them that other APIs share. It works in two steps,
// both pure functions of messages and tool specs:
//
//   - a normal form that every endpoint accepts (messages.go, schema.go): one system message first; then
//     alternating user and assistant messages; each call answered once, right after it; no empty message; schemas
//     of a few keywords.
//   - the differences of one endpoint, which its Dialect holds as data (table.go).
//
// What an endpoint sent with an answer, such as ids of calls and reasoning, goes back unchanged to that endpoint only
// (echo.go). So a conversation can continue with any other provider.
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

// Target is the destination of a request.
type Target struct {
	Endpoint string // identifies the endpoint
	Model    string
	Effort   string // reasoning effort; empty means the endpoint's default
	Progress bool   // llama.cpp: report the progress of reading the prompt
}

// Dialect holds the differences of an endpoint from the normal form. The zero value has none and stands for unknown
// endpoints.
type Dialect struct {
	Name   string
	Also   []string // other configured names
	Hosts  []string // hosts, including subdomains
	Models []string // prefixes of model names, used if name and host are unknown

	// MaxTokens is the name of the field for the completion limit; empty means max_tokens.
	MaxTokens string
	// Back lists the echoed fields sent back with messages that called tools; nil means all.
	Back []string
	// WithCalls are fields that each message with calls must have; they are added if missing.
	WithCalls fields
	// WithCall are fields that each call of another endpoint or model must have.
	WithCall fields
	// ThoughtsInContent is set if thoughts at the start of the content go back there.
	ThoughtsInContent bool
	// NotBothThoughtsAndText is set if a message with calls must not have both.
	NotBothThoughtsAndText bool
	// ID is the format of ids for calls of other endpoints, given the tool's name and the call's ordinal; empty means nine
	// letters and digits.
	ID string
	// ToolChoice is set if tool_choice is accepted with tools. NoToolChoice is set if it must be left out even if tools
	// are offered only to explain the history.
	ToolChoice, NoToolChoice bool
	// AnswerWithTools is set if the form of an answer is enforced only in answers: elsewhere it keeps the model from calling
	// tools, or is refused with them.
	AnswerWithTools bool
	// CacheKey is the name of the field that identifies requests with the same beginning; empty if there is none.
	CacheKey string
	// Cached is the prefix of models whose prompts are cached only up to marks; empty if there are none.
	Cached string
	// Documents is set if messages may hold documents as files.
	Documents bool
	// Effort are the fields for a reasoning effort; the zero value means reasoning_effort. OnlyEfforts are the accepted
	// values, nil those of the model. CanBeOff is set if "none" is accepted even if the model does not list it.
	Effort      effort
	OnlyEfforts []string
	CanBeOff    bool
	// Request are extra fields of requests to some models.
	Request []addition
}

// addition holds extra fields for some models.
type addition struct {
	models []string // prefixes of their names; "" matches all
	tools  bool     // only if tools are offered
	fields fields
}

// fieldsFor returns the extra fields of a request to a model.
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

// Body returns the body of a request.
func (d *Dialect) Body(to Target, req llm.Request) ([]byte, error) {
	history := Normal(req.Messages)
	messages := d.messages(to, history)
	if d.Cached != "" && strings.HasPrefix(strings.ToLower(to.Model), d.Cached) {
		mark(messages)
	}
	tools, none := offered(req.Tools), req.NoCalls && d.ToolChoice
	schema := req.Schema
	if req.NoCalls || len(tools) == 0 || d.AnswerWithTools {
		schema = slices.Concat(schema, Answer(req.Answer)) // at most one is set
	}
	if len(tools) == 0 || req.NoCalls && req.Answer != nil && !d.ToolChoice {
		tools, none = offered(Called(history)), !d.NoToolChoice
	}
	choice, temperature := "", 0.0
	if none && len(tools) > 0 {
		choice = "none"
	}
	if req.Literal {
		temperature = 0.1
	}
	var format object
	if schema != nil {
		format = object{{"type", "json_schema"}, {"json_schema", object{{"name", "reply"}, {"strict", true}, {"schema", schema}}}}
	}
	body := NewObject(
		"model", to.Model, "messages", messages, "stream", true, "tools", tools, "tool_choice", choice,
		"stream_options", object{{"include_usage", true}}, cmp.Or(d.MaxTokens, "max_tokens"), req.MaxTokens, "temperature", temperature,
		"response_format", format, "return_progress", to.Progress, d.CacheKey, req.CacheKey,
	)
	return json.Marshal(with(with(body, d.effort(to.Effort)), d.fieldsFor(to.Model, len(tools) > 0)))
}

// Called returns specs of the tools that a history calls, for a request that offers none: some endpoints refuse calls
// of tools that are not offered.
func Called(history []llm.Message) []llm.ToolSpec {
	var out []llm.ToolSpec
	seen := map[string]bool{}
	for _, m := range history {
		for _, c := range m.ToolCalls {
			if name := llm.PortableName(c.Name); !seen[name] {
				seen[name] = true
				out = append(out, llm.ToolSpec{Name: name, Description: "It cannot be called now."})
			}
		}
	}
	return out
}

// generic is the provider name that also stands for any endpoint with this protocol: it means OpenAI only at OpenAI's
// address.
const generic = "openai"

// For returns the dialect of an endpoint, by the provider's name, else its host, else the maker of the model, else
// Unknown. A dialect chosen by the model loses what depends on the endpoint: fields of the maker, and limits on what
// goes back.
func For(name, baseURL, model string) *Dialect {
	host := hostOf(baseURL)
	name = strings.ToLower(strings.TrimSpace(name))
	atHost := func(d *Dialect) bool {
		return slices.ContainsFunc(d.Hosts, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) })
	}
	named := func(d *Dialect) bool {
		return (d.Name == name || slices.Contains(d.Also, name)) && (name != generic || atHost(d))
	}
	if d := cmp.Or(find(named), find(atHost)); d != nil {
		return d
	}
	byModel := find(func(d *Dialect) bool {
		return slices.ContainsFunc(d.Models, func(p string) bool { return strings.HasPrefix(PlainModel(model), p) })
	})
	if byModel == nil {
		return &Unknown
	}
	hosted := *byModel
	hosted.Back, hosted.CacheKey, hosted.Documents, hosted.AnswerWithTools = nil, "", false, false
	return &hosted
}

// find returns the first matching dialect, or nil.
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

// PlainModel returns a model's name in lower case, without the folders that some endpoints put before it.
func PlainModel(model string) string {
	model = strings.ToLower(model)
	return model[strings.LastIndexByte(model, '/')+1:]
}
