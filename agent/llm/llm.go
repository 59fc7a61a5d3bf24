// Package llm is what the agent knows of a language model: messages in,
// a stream of chunks out, errors of a few kinds. It knows no tool by name,
// no screen and no vault; its sub-packages are the providers.
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

	"chatvault/internal/lazyregexp"
	"chatvault/internal/picture"
	"chatvault/internal/text"
)

// Role says who speaks in a Message, in the words of the chat-completions protocol.
type Role string

// The four roles.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of the history sent to a model. Every ToolCall of an
// assistant message is answered by exactly one RoleTool message after it.
//
// A user message carries, beside its text, what the program tells the model with it: the time
// it was sent and Context, a few lines such as a note on a stopped request. They stand with the
// message and not in the system prompt, so that the prefix a provider caches stays the same.
type Message struct {
	Role       Role
	Content    string
	Time       time.Time  // RoleUser only: local time it was sent; zero where unknown
	Context    string     // RoleUser only
	Attached   string     // RoleUser only: what of the vault the user put beside it, framed as data
	Media      []Media    // RoleUser and RoleTool: pictures and documents, after its text
	Program    bool       // RoleUser and RoleAssistant: the program wrote it, so that the history is complete
	ToolCalls  []ToolCall // RoleAssistant only
	ToolCallID string     // RoleTool only: the call it answers
	ToolName   string     // RoleTool only
	IsError    bool       // RoleTool only: the tool failed
	Echo       *Echo      // RoleAssistant only: for the endpoint that wrote it; nil: nothing is known of that
}

// contextTag is the tag of what the program tells, however it is written.
var contextTag = lazyregexp.New(`(?i)<(\s*/?\s*context\b)`)

// escapeTag is text in which nothing passes for the tag of what the program tells.
func escapeTag(text string) string { return contextTag().ReplaceAllString(text, "&lt;$1") }

// Prompt is the text a remote model gets for the message: Content, and for a user's message
// its time and context after it, in a tag that none of them can open or close. What the program says
// in a user's place is context as a whole.
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

// ToolCall is a complete request of the model to run a tool.
// Arguments is the JSON text as the model wrote it ("{}" when it wrote none); it may be invalid.
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

// Purpose says what a model call is for. A remote model reads that in the messages; the
// embedded engine, which has no other way to know, reads it here.
type Purpose string

// The purposes.
const (
	PurposeTurn          Purpose = ""              // to go on with a turn
	PurposeGoalCheck     Purpose = "goal_check"    // is the goal met? No tools.
	PurposeCompact       Purpose = "compact"       // summarise what was said so far. No tools.
	PurposeDelegate      Purpose = "delegate"      // a sub-agent's step
	PurposePlan          Purpose = "plan"          // a step of a turn that only plans
	PurposeTitle         Purpose = "title"         // a title and a summary of an ended conversation. No tools.
	PurposeRetrospection Purpose = "retrospection" // a look back at an ended conversation. No tools.
)

// NoPlan begins the answer of a turn that was to plan where nothing can be planned: nobody is
// then asked whether to carry it out.
const NoPlan = "**No plan**"

// Windowed is a Provider that knows how many tokens its model takes in one call, prompt and
// completion together; 0: it does not know.
type Windowed interface{ Window() int }

// Sized is a Provider that can say how large its model is. Asking may take a second or two, once.
type Sized interface {
	Size(ctx context.Context) Size
}

// Size is how large a model is; zero values mean that it is not known.
type Size struct {
	Parameters float64
	Window     int // tokens of a call, as the server runs the model
}

// Small reports whether the model needs a short prompt: one with fewer parameters, or a smaller window, than
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
	Schema    json.RawMessage // the text of the response is JSON that satisfies it, where the endpoint can see to that; may be nil
	Literal   bool            // the likeliest words are wanted: a low temperature
	NoCalls   bool            // Tools are there for the sake of the history: a call will not run
	MaxTokens int             // completion limit; 0 leaves it to the provider
	CacheKey  string          // the same for requests that begin alike, as a conversation's do; may be empty
}

// FinishReason says why a response ended.
type FinishReason string

// The reasons a response ends with.
const (
	FinishStop          FinishReason = "stop"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
	FinishUnable        FinishReason = "unable"  // the offline engine could not do what was asked
	FinishRefusal       FinishReason = "refusal" // the model declines
	FinishCut           FinishReason = "cut"     // the provider ended it early, for lack of capacity or a fault of its own
)

// Usage counts tokens of one model call. Cost is in US dollars, when the provider reports it.
// Estimated marks figures counted by us because the provider gave none, or not all.
type Usage struct {
	PromptTokens     int
	CachedTokens     int // part of PromptTokens: read from the provider's cache
	CacheWriteTokens int // part of PromptTokens: written into it
	CompletionTokens int
	ReasoningTokens  int // part of CompletionTokens
	Cost             float64
	HasCost          bool
	Estimated        bool
}

// ToolCallDelta is a piece of a tool call. Index is the ordinal of the call in
// this response, 0, 1, 2…, already made unambiguous by the provider; ID and Name
// are whole and come with the first delta of an index, Arguments are appended.
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
	Suggest   string   // a message for the composer, that the person may send; comes with Finish
	Reading   *Reading // before anything of the response
	Speed     *Speed   // at its end
	Thought   bool     // all text before was reasoning, as is seen only now
}

// Reading is how much of the prompt the endpoint has read, in tokens.
type Reading struct {
	Read, Total int
	PerSecond   float64 // how many it reads; 0 if not known
	Estimated   bool    // the endpoint does not report it
}

// After returns how much is read after some more time, as far as can be told from the speed.
func (r Reading) After(d time.Duration) int {
	return min(r.Read+int(d.Seconds()*r.PerSecond), r.Total)
}

// Speed is how fast a server read the prompt and wrote the response, as it reports it, in tokens a second.
type Speed struct{ Read, Wrote float64 }

// Response is a whole model response, put together from chunks.
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
	// Name is what the user knows it by: "openai/gpt-5.2", "offline engine".
	Name() string

	// Stream calls the model once, without retrying. The sequence yields chunks and
	// ends; an error is yielded last, with a zero Chunk, and is always a *Error. Before
	// it comes the usage of what was used all the same, Estimated where there is more.
	// Success needs a chunk with Finish set: a provider whose stream stops without
	// one yields an error of KindNetwork. Cancelling ctx ends the sequence promptly
	// with KindAborted. Leaving the loop early releases the connection.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Bounds of one response. Over a byte bound a provider ends the stream with ReasonTooLarge.
const (
	MaxLine      = 4 << 20  // bytes of one line of a stream
	MaxResponse  = 32 << 20 // bytes of a whole response
	MaxArguments = 2 << 20  // bytes of the arguments of one tool call

	// MaxToolCalls is how many calls of one response run. A provider yields those beyond it
	// too, so that each can be answered in the history: with an error.
	MaxToolCalls = 16
)

// Echo is what an endpoint sent with an answer and may want back with it in later requests: how it
// reasoned, under the names and in the form it did so, and the ids it gave to its calls. It is
// opaque to everyone but that endpoint: no other one is sent any of it.
type Echo struct {
	Endpoint string `json:"endpoint"` // by which it is told from others
	Model    string `json:"model"`
	// Fields of the message: reasoning_content, reasoning, reasoning_details, extra_content. Under
	// "content" stand the thoughts that the content itself began with, their tags included.
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
	Calls  []EchoedCall               `json:"calls,omitempty"` // one for each of the message's ToolCalls
}

// EchoedCall is what came with a tool call.
type EchoedCall struct {
	ID     string                     `json:"id,omitempty"` // as it came; empty: it had none
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
}

// Unsealed returns e without how the model reasoned and without its name, so that its calls count as another
// model's at that endpoint; their ids stay.
func (e *Echo) Unsealed() *Echo {
	out := &Echo{Endpoint: e.Endpoint}
	for _, c := range e.Calls {
		out.Calls = append(out.Calls, EchoedCall{ID: c.ID})
	}
	return out
}

// Media is a picture or a document in a message: of a user's, what they put beside it; of a tool's, what it
// returned.
type Media struct {
	picture.Info
	Name string
	Data []byte // nil: it is not shown, and the message says so
	Why  string // it is not shown, for the model
}

// Label says which one follows.
func (m Media) Label() string { return fmt.Sprintf("%s %q:", text.Capital(m.Noun()), m.Name) }

// Unshown is what a message says where one is not shown.
func (m Media) Unshown() string {
	return fmt.Sprintf("[%s %q (%s) is not shown: %s]", text.Capital(m.Noun()), m.Name, m.Info, cmp.Or(m.Why, "it is not part of this request"))
}

// Sighted is a Provider that knows which media its model takes, by their type; not known, it may be tried.
type Sighted interface {
	Sees(mediaType string) (sees, known bool)
}

// Sees says whether a provider's model takes media of a type, as far as that is known.
func Sees(p Provider, mediaType string) (sees, known bool) {
	if s, ok := p.(Sighted); ok {
		return s.Sees(mediaType)
	}
	return false, false
}

// ParseArguments returns the arguments of a call as one JSON object; none mean {}. The object may also come as the
// text of its JSON.
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

// Arguments are those of a call as a history may hold them: what is no JSON object is an empty one, and the
// call's result says what was wrong.
func Arguments(text string) json.RawMessage {
	args, err := ParseArguments(text)
	if err != nil {
		return json.RawMessage("{}")
	}
	return args
}

// NoResult stands where a call has no result.
const NoResult = "Error: The result of this call is not known."

// Answers are the results of a message's calls, in their order, sought in what follows it up to the next message
// with calls. One that is not there is told to be missing.
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

// maxCallID bounds an id in bytes: what the strictest of the known endpoints takes.
const maxCallID = 40

// FreshID returns id, or another where it is used already or cannot stand in a history, and
// marks it used: some servers count from zero in every response, and no history may hold an id
// twice.
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

// notPortable are characters that not every known endpoint takes in the name or the id of a call.
func notPortable(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// MaxToolName bounds the name of a tool in bytes, as the known endpoints do.
const MaxToolName = 64

// PortableName is a tool's name as a history may hold it. A model that once called a tool by a name
// no endpoint accepts would else be refused in every turn that follows.
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
	return name[:min(len(name), MaxToolName)]
}
