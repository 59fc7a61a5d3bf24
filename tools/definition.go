package tools

import (
	"context"
	"embed"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"chatvault/tools/argument"
	"chatvault/tools/wording"
	"chatvault/vault"
)

// descriptions are the Markdown files of the tools, named for them.
//
//go:embed *.md
var descriptions embed.FS

// definition is a tool independent of a turn.
type definition struct {
	name        string
	description string // from the tool's Markdown file
	example     string // arguments of a typical call, shown with errors about arguments
	traits      Traits
	short       []Form // as small models call it; nil if it is not offered to them
	// output returns the JSON Schema of Result.Data; nil if results are only text.
	output func() json.RawMessage
	// offered reports whether a turn with this messenger and these options has the tool; nil means always.
	offered func(Messenger, Options) bool

	schema func() *argument.Schema
	run    func(ctx context.Context, t *Turn, raw json.RawMessage) Result
	target func(raw json.RawMessage) string
}

// description returns the text of a tool's Markdown file. It panics if there is none.
func description(tool string) string {
	text, err := descriptions.ReadFile(tool + ".md")
	if err != nil {
		panic("tools: " + err.Error())
	}
	return strings.TrimSpace(string(text))
}

// define adds a tool: it completes d with a schema derived from A, a struct. Its fields' json tags name the arguments (omitempty:
// optional), jsonschema tags describe them, min and nonempty tags constrain them, and note tags mark names of
// existing files. run gets arguments that match the schema, with those files' paths. target describes what a call
// acts on; its arguments may be unchecked.
func define[A any](d definition, run func(context.Context, *Turn, A) Result, target func(A) string) *definition {
	d.description = description(d.name)
	d.schema = sync.OnceValue(func() *argument.Schema { return argument.Derive(reflect.TypeFor[A]()) })
	notes := noteFields(reflect.TypeFor[A]())
	d.run = func(ctx context.Context, t *Turn, raw json.RawMessage) Result {
		var args A
		if err := d.schema().Decode(d.name, raw, &args); err != nil {
			return failf("invalid arguments", "%s Use: %s", err, d.example)
		}
		meant, err := t.resolveNotes(ctx, &args, notes)
		if err != nil {
			return failed(d.name, err)
		}
		return run(ctx, t, args).withResolvedPath(meant)
	}
	d.target = func(raw json.RawMessage) string {
		var args A
		// Whatever could be decoded is enough for a label.
		_ = json.Unmarshal(raw, &args)
		return target(args)
	}
	byName[d.name] = &d
	return &d
}

// bound is a definition in a turn.
type bound struct {
	*definition
	turn *Turn
}

func (b bound) Name() string            { return b.name }
func (b bound) Description() string     { return b.description }
func (b bound) Schema() json.RawMessage { return b.schema().Text }
func (b bound) ReadOnly() bool          { return b.traits.Kind.readOnly() }

// Call runs the tool. A panic becomes an error result, so that it does not end the conversation.
func (b bound) Call(ctx context.Context, args json.RawMessage) (result Result) {
	defer func() {
		if p := recover(); p != nil {
			result = failf("failed", "%s failed because of a bug in chatvault (%v). Nothing more is known; "+
				"check the note before you continue.", b.name, p)
		}
	}()
	if ctx.Err() != nil {
		return stopped(b.name)
	}
	ctx = withTool(ctx, b.name, args)
	result = b.run(ctx, b.turn, args)
	for try := 1; try < conflictTries && result.again && ctx.Err() == nil; try++ {
		time.Sleep(rand.N(conflictWait)) // random, so that two conflicting calls separate
		result = b.run(ctx, b.turn, args)
	}
	return result
}

// Retries of a conflicting call, and the maximum wait before each.
const (
	conflictTries = 40
	conflictWait  = 20 * time.Millisecond
)

// OfServer reports whether t is a tool of an MCP server.
func OfServer(t Tool) bool {
	_, ok := t.(interface{ Server() string })
	return ok
}

// Target returns what a call acts on, on one line: "Projects/Alpha.md", "\"budget\" in *.md", "a.md → b/a.md". It is
// empty for an unknown tool or insufficient arguments. Names are as the model wrote them, not sanitized.
func Target(name string, args json.RawMessage) string {
	if d := definitionOf(name); d != nil {
		return wording.Shorten(wording.FirstLine(d.target(args)), 200)
	}
	return ""
}

// OutputSchema returns the JSON Schema of the data in a tool's results, or nil if they are only text.
func OutputSchema(name string) json.RawMessage {
	d := definitionOf(name)
	if d == nil || d.output == nil {
		return nil
	}
	return d.output()
}

// DataSchema returns the JSON Schema of T as encoding/json writes it. It panics if T has none, which is a programming
// error.
func DataSchema[T any]() json.RawMessage {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic("tools: " + err.Error())
	}
	data, _ := json.Marshal(schema) // a derived schema can always be encoded
	return data
}

// Traits describe a tool to the rest of the program: how its calls are displayed and what they mean for a turn. Tools
// of MCP servers have the zero value.
type Traits struct {
	Verb   string // what a call does, before its target in a sentence: "reading"; empty means "running"
	Did    string // what a completed call did: "read"; empty means "ran"
	Kind   CallKind
	Speaks bool // it only sends messages, which the user sees instead of a call
	Edits  bool // its result shows a note's change as a unified diff
	Whole  bool // with Edits: it overwrites the whole note
	Adds   bool // with changes: it removes nothing
	Again  bool // with changes: repeating the call changes nothing more

	Spare      bool // other tools can do its work in more calls, so it is omitted first if a model's window is small
	ReadsNotes bool // it reads the text of a note
	Delegates  bool // it runs a sub-agent
	Ends       bool // it ends the conversation
}

// CallKind is the kind of a tool, in the few words that other programs know; empty for none of them.
type CallKind string

// The kinds.
const (
	CallReads    CallKind = "read"
	CallSearches CallKind = "search"
	CallEdits    CallKind = "edit"
	CallMoves    CallKind = "move"
	CallDeletes  CallKind = "delete"
	CallThinks   CallKind = "think"
)

// readOnly reports whether tools of a kind change nothing and may run concurrently.
func (k CallKind) readOnly() bool { return k == CallReads || k == CallSearches || k == CallThinks }

// Looks reports whether tools of a kind read or search.
func (k CallKind) Looks() bool { return k == CallReads || k == CallSearches }

// TraitsOf returns the traits of a tool by name.
func TraitsOf(name string) Traits {
	if d := definitionOf(name); d != nil {
		return d.traits
	}
	return Traits{}
}

// definitionOf returns the tool with a name, or nil.
func definitionOf(name string) *definition { return byName[name] }

// byName holds all tools: define adds them as the package is initialized.
var byName = map[string]*definition{}

// Request identifies for whom calls are made. Their changes are shown and undone together. The call's ID is added
// later.
type Request = vault.Origin

// WithRequest returns a context whose calls belong to r.
func WithRequest(ctx context.Context, r Request) context.Context { return vault.WithOrigin(ctx, r) }

// WithCall returns a context for the tool call with this id.
func WithCall(ctx context.Context, id string) context.Context {
	o := vault.OriginOf(ctx)
	o.Call = id
	return vault.WithOrigin(ctx, o)
}

// CallOf returns the ID of the tool call that owns the context, or "".
func CallOf(ctx context.Context) string { return vault.OriginOf(ctx).Call }

// withTool adds the tool and its arguments to the context.
func withTool(ctx context.Context, name string, args json.RawMessage) context.Context {
	o := vault.OriginOf(ctx)
	o.Tool, o.Arguments = name, args
	return vault.WithOrigin(ctx, o)
}
