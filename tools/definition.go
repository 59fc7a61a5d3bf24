package tools

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"time"

	"chatvault/tools/argument"
	"chatvault/tools/wording"
	"chatvault/vault"
)

// descriptions are the Markdown files beside the tools, each of a tool's name.
//
//go:embed *.md
var descriptions embed.FS

// definition is a tool before a turn runs it.
type definition struct {
	name        string
	description string // the Markdown beside the tool
	example     string // arguments of a typical call, shown where arguments were wrong
	forms       []form // of a tool with several kinds of call: shown instead where one was meant
	readOnly    bool
	spare       bool // other tools can do its work, in more calls
	traits      Traits
	short       []Form       // as small models call it; nil: it is not offered to them
	shape       reflect.Type // of Result.Data, a struct; nil: results are text alone
	// offered says whether a turn with this messenger has the tool; nil: every turn has.
	offered func(Messenger) bool
	// provided says whether a registry with these options has it; nil: every one has.
	provided func(Options) bool

	schema func() *argument.Schema
	run    func(ctx context.Context, t *Turn, raw json.RawMessage) Result
	target func(raw json.RawMessage) string
}

// description is the text of a tool's Markdown file; a tool without one is a mistake.
func description(tool string) string {
	text, err := descriptions.ReadFile(tool + ".md")
	if err != nil {
		panic("tools: " + err.Error())
	}
	return strings.TrimSpace(string(text))
}

// define completes d with a schema derived from A, a struct, whose fields' json tags
// name the arguments (omitempty: optional), whose jsonschema tags describe them, and
// whose min and nonempty tags bound them, and whose note tags say that they name a file that is there.
// run gets arguments that passed the schema, with the paths of such files.
// target says in a few words what a call acts on; its arguments may have passed nothing.
func define[A any](d definition, run func(context.Context, *Turn, A) Result, target func(A) string) *definition {
	d.description = description(d.name)
	d.schema = sync.OnceValue(func() *argument.Schema { return argument.Derive(reflect.TypeFor[A]()) })
	notes := noteFields(reflect.TypeFor[A]())
	d.run = func(ctx context.Context, t *Turn, raw json.RawMessage) Result {
		var args A
		if err := d.schema().Decode(d.name, raw, &args); err != nil {
			return Result{
				Text:    fmt.Sprintf("Error: %s Use: %s", err, d.form(raw)),
				IsError: true,
				Summary: "invalid arguments",
			}
		}
		meant, err := t.resolveNotes(ctx, &args, notes)
		if err != nil {
			return failed(d.name, err)
		}
		return run(ctx, t, args).withMeant(meant)
	}
	d.target = func(raw json.RawMessage) string {
		var args A
		// What could be decoded is good enough for a label.
		_ = json.Unmarshal(raw, &args)
		return target(args)
	}
	return &d
}

// form is the arguments of a typical call of the kind that the presence of one tells.
type form struct{ argument, example string }

// form is the example that fits what a call gave, wrong as it may be.
func (d *definition) form(raw json.RawMessage) string {
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) == nil {
		for _, f := range d.forms {
			if value, ok := given[f.argument]; ok && string(value) != "null" {
				return f.example
			}
		}
	}
	return d.example
}

// bound is a definition that runs in a turn.
type bound struct {
	*definition
	turn *Turn
}

func (b bound) Name() string            { return b.name }
func (b bound) Description() string     { return b.description }
func (b bound) Schema() json.RawMessage { return b.schema().Text }
func (b bound) ReadOnly() bool          { return b.readOnly }
func (b bound) Spare() bool             { return b.spare }

// Call runs the tool; a panic in it becomes an error result, so that one bad call
// does not take the conversation with it.
func (b bound) Call(ctx context.Context, args json.RawMessage) (result Result) {
	defer func() {
		if p := recover(); p != nil {
			result = Result{
				Text: fmt.Sprintf("Error: %s failed because of a bug in chatvault (%v). Nothing more is known; "+
					"check the note before you continue.", b.name, p),
				IsError: true,
				Summary: "failed",
			}
		}
	}()
	if ctx.Err() != nil {
		return stopped(b.name)
	}
	ctx = withTool(ctx, b.name, args)
	result = b.run(ctx, b.turn, args)
	for try := 1; try < overtakenTries && result.again && ctx.Err() == nil; try++ {
		time.Sleep(rand.N(overtakenWait)) // so that two do not go on as they began
		result = b.run(ctx, b.turn, args)
	}
	return result
}

// A call that others come before is made again so often, after a wait of up to overtakenWait.
const (
	overtakenTries = 40
	overtakenWait  = 20 * time.Millisecond
)

// Spare reports whether other tools can do what t does, in more calls: where a model's window is
// small it is left out first.
func Spare(t Tool) bool {
	s, ok := t.(interface{ Spare() bool })
	return ok && s.Spare()
}

// OfServer reports whether t is a tool of an MCP server and not of the vault.
func OfServer(t Tool) bool {
	_, ok := t.(interface{ Server() string })
	return ok
}

// Target says what a call acts on, for one line of a screen: "Projects/Alpha.md",
// "\"budget\" in *.md", "a.md → b/a.md". It is empty for an unknown tool and where
// the arguments do not say. Names are as the model wrote them, not made safe.
func Target(name string, args json.RawMessage) string {
	if d := definitionOf(name); d != nil {
		return wording.Shorten(wording.FirstLine(d.target(args)), 200)
	}
	return ""
}

// ShapeOf is the JSON Schema of the data in the results of the tool of a name; nil: they are text alone.
func ShapeOf(name string) json.RawMessage {
	d := definitionOf(name)
	if d == nil || d.shape == nil {
		return nil
	}
	return argument.Shape(d.shape)
}

// Traits are what everybody beside a tool asks of it by its name: how a screen shows its calls, and
// what they mean for a turn. The zero value is all that is known of a tool that is not ours.
type Traits struct {
	Verb   string // what a call does, for a sentence, before its target: "reading"; empty: it runs
	Kind   CallKind
	Fold   Fold // in which words calls that stand together are told as one; zero: each for itself
	Speaks bool // it only speaks to the user, who sees what it says and no call
	Aside  bool // what it says does not depend on the calls before it: it need not wait for their end
	Edits  bool // its result shows by a unified diff how a note changed
	Whole  bool // of one that edits: it writes the note over, whatever it held
	Adds   bool // of one that changes: it takes nothing away
	Again  bool // of one that changes: the same call changes nothing more

	ReadsNotes bool // what it reads is the text of a note
	Delegates  bool // a sub-agent works within the call
	Ends       bool // the conversation ends with it
}

// Fold tells of calls of one tool as one: "read 3 notes".
type Fold struct {
	Did, Does string
	One, Many string // of what
}

// CallKind is what a tool does, in one of the few words that programs have for it; empty: none of them.
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

// TraitsOf are the traits of the tool of a name.
func TraitsOf(name string) Traits {
	if d := definitionOf(name); d != nil {
		return d.traits
	}
	return Traits{}
}

// definitionOf is the tool of a name; nil: there is none.
func definitionOf(name string) *definition { return byName()[name] }

var byName = sync.OnceValue(func() map[string]*definition {
	m := map[string]*definition{}
	for _, d := range definitions() {
		m[d.name] = d
	}
	return m
})

// Request says for whom calls are made: what they change is shown, and taken back, together. Which call it is,
// is said later.
type Request = vault.Origin

// WithRequest returns a context whose calls belong to r.
func WithRequest(ctx context.Context, r Request) context.Context { return vault.WithOrigin(ctx, r) }

// WithCall returns a context for the tool call with this id.
func WithCall(ctx context.Context, id string) context.Context {
	o := vault.OriginOf(ctx)
	o.Call = id
	return vault.WithOrigin(ctx, o)
}

// CallOf is the id of the tool call in which the context is used; empty: it is in none.
func CallOf(ctx context.Context) string { return vault.OriginOf(ctx).Call }

// withTool says in whose call, with what arguments, the vault is used.
func withTool(ctx context.Context, name string, args json.RawMessage) context.Context {
	o := vault.OriginOf(ctx)
	o.Tool, o.Arguments = name, args
	return vault.WithOrigin(ctx, o)
}
