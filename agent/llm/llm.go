// Package llm defines model calls: messages, streamed chunks, and classified errors. It knows neither tools nor the
// screen nor the vault. Its subpackages are the providers.
package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/picture"
	"chatvault/internal/base/text"
)

// Role is the sender of a Message, as in the chat-completions protocol.
type Role string

// The four roles.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of the history sent to a model. Every ToolCall of an assistant message is answered by exactly
// one later RoleTool message.
//
// A user message also carries its time and Context, such as a note on a stopped request. They are part of the message,
// not of the system prompt, so that the prefix that a provider caches stays the same.
type Message struct {
	Role       Role
	Content    string
	Time       time.Time  // RoleUser only: local time it was sent; zero if unknown
	Context    string     // RoleUser only
	Attached   string     // RoleUser only: parts of the vault that the user attached, marked as data
	Media      []Media    // RoleUser and RoleTool: pictures and documents, after its text
	Program    bool       // RoleUser and RoleAssistant: the program wrote it, so that the history is complete
	ToolCalls  []ToolCall // RoleAssistant only
	ToolCallID string     // RoleTool only: the call it answers
	ToolName   string     // RoleTool only
	IsError    bool       // RoleTool only: the tool failed
	Echo       *Echo      // RoleAssistant only: data for the endpoint that wrote it; may be nil
}

// contextTag matches the tag around a message's context, in any spelling.
var contextTag = lazyregexp.New(`(?i)<(\s*/?\s*context\b)`)

// escapeTag escapes the context tag in a text.
func escapeTag(text string) string { return contextTag().ReplaceAllString(text, "&lt;$1") }

// Prompt returns the text that a model gets for the message: Content and, for a user message, its time and context in a
// tag that neither can open or close. A user message written by the program is all context.
func (m Message) Prompt() string {
	if m.Role != RoleUser {
		return m.Content
	}
	said, ctx := escapeTag(m.Content)+"\n\n", []string{m.Context, m.Attached}
	if !m.Time.IsZero() {
		ctx = append([]string{"Local time: " + m.Time.Format("Monday, 2006-01-02 15:04 (UTC-07:00)")}, ctx...)
	}
	if m.Program {
		said, ctx = "", append([]string{m.Content}, ctx...)
	}
	ctx = slices.DeleteFunc(ctx, func(s string) bool { return s == "" })
	if len(ctx) == 0 {
		return escapeTag(m.Content)
	}
	return said + "<context>\n" + escapeTag(strings.Join(ctx, "\n")) + "\n</context>"
}

// ToolCall is a complete tool call of the model. Arguments is JSON as the model wrote it, or "{}" if it wrote none; it
// may be invalid.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// ToolSpec describes a tool to a model. Parameters is a JSON Schema of type object.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Purpose is the reason for a model call. Remote models read it in the messages; the offline engine reads this field.
type Purpose string

// The purposes.
const (
	PurposeTurn          Purpose = ""              // a step of a turn
	PurposeGoalCheck     Purpose = "goal_check"    // is the goal met? No tools.
	PurposeCompact       Purpose = "compact"       // summarize the conversation so far. No tools.
	PurposeDelegate      Purpose = "delegate"      // a sub-agent's step
	PurposePlan          Purpose = "plan"          // a step of a turn that only plans
	PurposeTitle         Purpose = "title"         // a title and a summary of an ended conversation. No tools.
	PurposeRetrospection Purpose = "retrospection" // a look back at an ended conversation. No tools.
)

// NoPlan begins the answer of a planning turn that has nothing to plan; the user is then not asked for approval.
const NoPlan = "**No plan**"

// Windowed is a Provider that knows how many tokens its model takes in one call, prompt and completion together. Zero
// means unknown.
type Windowed interface{ Window() int }

// Sized is a Provider that knows the size of its model. The first call may take one or two seconds.
type Sized interface {
	Size(ctx context.Context) Size
}

// Size is the size of a model; zero values mean unknown.
type Size struct {
	Parameters float64
	Window     int // tokens per call, as the server runs the model
}

// Small reports whether the model needs a short prompt because it has too few parameters, or too small a window, to
// follow long instructions reliably.
func (s Size) Small() bool {
	const parameters, window = 15e9, 16 << 10
	return s.Parameters > 0 && s.Parameters < parameters || s.Window > 0 && s.Window < window
}

// Request is one model call. Without Tools the model can only answer with text.
type Request struct {
	Purpose   Purpose
	Messages  []Message
	Tools     []ToolSpec
	Schema    json.RawMessage // JSON Schema of the response, for endpoints that can enforce one; may be nil
	Answer    json.RawMessage // as Schema, of a response that calls no tool; any JSON Schema. See AnswerField
	Literal   bool            // use a low temperature
	NoCalls   bool            // Tools only explain the history; calls will not run
	MaxTokens int             // completion limit; 0 leaves it to the provider
	CacheKey  string          // equal for requests with the same beginning, as in a conversation; may be empty
}

// AnswerField is the only member of a response to a request whose Answer is not an object, as endpoints enforce only objects.
const AnswerField = "answer"

// FinishReason is the reason why a response ended.
type FinishReason string

// The finish reasons.
const (
	FinishStop          FinishReason = "stop"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
	FinishUnable        FinishReason = "unable"  // the offline engine could not do what was asked
	FinishRefusal       FinishReason = "refusal" // the model declines
	FinishCut           FinishReason = "cut"     // the provider ended it early because of its capacity or an internal error
)

// Usage counts the tokens of one model call. Cost is in US dollars, if the provider reports it. Estimated marks figures
// that are our own estimate in whole or in part.
type Usage struct {
	PromptTokens     int
	CachedTokens     int // part of PromptTokens: read from the provider's cache
	CacheWriteTokens int // part of PromptTokens: written to the cache
	CompletionTokens int
	ReasoningTokens  int // part of CompletionTokens
	Cost             float64
	HasCost          bool
	Estimated        bool
}

// ToolCallDelta is a piece of a tool call. Index is the ordinal of the call in the response, from 0. Name is complete
// and comes with the first delta of an index, and so does ID, which is the endpoint's: it may be empty or not unique.
// Arguments are appended.
type ToolCallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string
}

// Chunk is a piece of a streamed response; usually one field is set.
type Chunk struct {
	Text      string
	Reasoning string
	ToolCall  *ToolCallDelta
	Usage     *Usage
	Echo      *Echo // of the whole response; comes before Finish
	Finish    FinishReason
	Suggest   string   // a message to offer in the composer; comes with Finish
	Reading   *Reading // before anything of the response
	Thought   bool     // all text so far turned out to be reasoning
}

// Reading is the progress of an endpoint that reads the prompt, in tokens.
type Reading struct{ Read, Total int }

// Response is a complete model response, assembled from chunks.
type Response struct {
	Text      string
	Reasoning string
	ToolCalls []ToolCall
	Usage     Usage
	HasUsage  bool
	Echo      *Echo
	Finish    FinishReason
	Suggest   string
}

// Provider streams responses of a model.
type Provider interface {
	// Name is the name shown to the user: "openai/gpt-5.2", "offline engine".
	Name() string

	// Stream calls the model once, without retrying. The sequence yields chunks; an error comes last, with a zero
	// Chunk, and is always an *Error, after a chunk with the usage so far. A successful response has a chunk with
	// Finish set; if a stream ends without one, the error is of KindNetwork. Cancelling ctx ends the sequence promptly
	// with KindAborted. Leaving the loop early releases the connection.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Bounds of one response. Beyond a bound in bytes a provider ends the stream with ReasonTooLarge.
const (
	MaxLine      = 4 << 20  // bytes of one line of a stream
	MaxResponse  = 32 << 20 // bytes of a whole response
	MaxArguments = 2 << 20  // bytes of the arguments of one tool call

	// MaxToolCalls is the number of calls of one response that run. A provider yields further ones too, so that they
	// can be answered with an error in the history.
	MaxToolCalls = 16
)

// Echo is what an endpoint sent with an answer and may want back in later requests: reasoning, in its original fields
// and form, and the original ids of calls. It is opaque and goes only to that endpoint.
type Echo struct {
	Endpoint string `json:"endpoint"` // identifies the endpoint
	Model    string `json:"model"`
	// Fields of the message: reasoning_content, reasoning, reasoning_details, extra_content.
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
	Calls  []EchoedCall               `json:"calls,omitempty"` // one for each of the message's ToolCalls
}

// EchoedCall is the echo of one tool call.
type EchoedCall struct {
	ID     string                     `json:"id,omitempty"` // the original id; may be empty
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
}

// Unsealed returns a copy without reasoning and model name, so that the endpoint treats the calls as those of another
// model; the ids stay.
func (e *Echo) Unsealed() *Echo {
	out := &Echo{Endpoint: e.Endpoint}
	for _, c := range e.Calls {
		out.Calls = append(out.Calls, EchoedCall{ID: c.ID})
	}
	return out
}

// Media is a picture or document that a user attached or a tool returned.
type Media struct {
	picture.Info
	Name string
	Data []byte // nil if the model is not shown it
	Why  string // why it is not shown, for the model
}

// Label returns the text before the medium.
func (m Media) Label() string { return fmt.Sprintf("%s %q:", text.Capital(m.Noun()), m.Name) }

// Unshown returns the text in place of a medium that is not shown.
func (m Media) Unshown() string {
	return fmt.Sprintf("[%s %q (%s) is not shown: %s]", text.Capital(m.Noun()), m.Name, m.Info, cmp.Or(m.Why, "it is not part of this request"))
}

// Sighted is a Provider that knows which media types its model accepts. Unknown types may be tried.
type Sighted interface {
	Sees(mediaType string) (sees, known bool)
}

// Sees reports whether a provider's model accepts a media type, and whether that is known.
func Sees(p Provider, mediaType string) (sees, known bool) {
	if s, ok := p.(Sighted); ok {
		return s.Sees(mediaType)
	}
	return false, false
}

// ParseArguments returns the arguments of a call as a JSON object, "{}" if there are none. The object may also be
// encoded as a JSON string.
func ParseArguments(text string) (json.RawMessage, error) {
	data := bytes.TrimSpace([]byte(text))
	if len(data) == 0 {
		return json.RawMessage("{}"), nil
	}
	if inner := ""; data[0] == '"' && json.Unmarshal(data, &inner) == nil && strings.HasPrefix(strings.TrimSpace(inner), "{") {
		data = []byte(inner)
	}
	var obj map[string]json.RawMessage
	if err := json.Unmarshal(data, &obj); err != nil {
		return nil, err
	}
	if obj == nil {
		return nil, fmt.Errorf("it is null")
	}
	return data, nil
}

// Arguments returns the arguments of a call for a history: "{}" if they are not a JSON object.
func Arguments(text string) json.RawMessage {
	args, err := ParseArguments(text)
	if err != nil {
		return json.RawMessage("{}")
	}
	return args
}

// NoResult is the result of a call whose result is unknown.
const NoResult = "Error: The result of this call is not known."

// Answers returns the results of a message's calls, in order, from the messages up to the next one with calls. Missing
// ones are NoResult.
func Answers(calls []ToolCall, after []Message) []Message {
	if len(calls) == 0 {
		return nil
	}
	found := map[string][]Message{}
	for _, a := range after {
		if len(a.ToolCalls) > 0 {
			break
		}
		if a.Role == RoleTool {
			found[a.ToolCallID] = append(found[a.ToolCallID], a)
		}
	}
	out := make([]Message, len(calls))
	for i, c := range calls {
		out[i] = Message{Role: RoleTool, ToolCallID: c.ID, ToolName: c.Name, Content: NoResult, IsError: true}
		if all := found[c.ID]; len(all) > 0 {
			out[i], found[c.ID] = all[0], all[1:]
		}
	}
	return out
}

// maxCallID is the longest id in bytes that all known endpoints accept.
const maxCallID = 40

// FreshID returns id, or another if it is already used or invalid in a history, and marks it as used. Some servers
// count from zero in each response, but ids in a history must be unique.
func FreshID(id string, used map[string]bool) string {
	if id == "" || len(id) > maxCallID || strings.ContainsFunc(id, notPortable) {
		id = "call"
	}
	fresh := id
	for n := 2; used[fresh]; n++ {
		suffix := fmt.Sprintf("-%d", n)
		fresh = id[:min(len(id), maxCallID-len(suffix))] + suffix
	}
	used[fresh] = true
	return fresh
}

// notPortable reports whether some known endpoint rejects a character in the name or id of a call.
func notPortable(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// MaxToolName is the longest tool name in bytes that the known endpoints accept.
const MaxToolName = 64

// PortableName returns a tool name that all known endpoints accept. Otherwise, after a model called a tool by a name
// that none accepts, all later turns would be refused.
func PortableName(name string) string {
	name = strings.Map(func(r rune) rune {
		if notPortable(r) {
			return '_'
		}
		return r
	}, name)
	if name == "" {
		return "unnamed"
	}
	if c := name[0]; c == '-' || c >= '0' && c <= '9' {
		name = "_" + name
	}
	return name[:min(len(name), MaxToolName)]
}
