package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"chatvault/tools/readset"
	"chatvault/tools/skill"
	"chatvault/vault"
	"chatvault/vault/journal"
	"chatvault/vault/search"
)

// Options are the user's limits and the tools' sources other than the vault. Zero values mean the defaults.
type Options struct {
	ReadMaxLines int // maximum number of lines of read_file; 2,000 by default
	ReadMaxBytes int // maximum text of read_file in bytes; 100,000 by default

	Conversations pastConversations // for get_conversation; nil disables it
	Finder        NoteFinder        // for find_notes; nil disables it
	Buffers       Buffers           // the user's editor; nil if there is none

	// Skills returns the skills that the agent may currently use. Without any there is no use_skill.
	Skills func() []skill.Skill
}

// The defaults of Options.
const (
	DefaultReadMaxLines = 2000
	DefaultReadMaxBytes = 100_000
)

// noteStore is the part of the vault for which an editor may have unsaved changes. *vault.Vault implements it without
// an editor.
type noteStore interface {
	Stat(ctx context.Context, path string) (vault.Info, error)
	Read(ctx context.Context, path string) (*vault.File, error)
	Plan(ctx context.Context, r vault.Request) (*vault.Plan, error)
	Commit(ctx context.Context, p *vault.Plan, tell vault.CommitCheck) (vault.Change, error)
	Do(ctx context.Context, r vault.Request, tell vault.CommitCheck) (vault.Change, error)
	Search(ctx context.Context, q search.Query) (search.Result, error)
	List(ctx context.Context, q search.ListQuery) (search.ListResult, error)
}

// Registry holds the tools of one vault. It is safe for concurrent use.
type Registry struct{ stores }

// stores are what tools work on.
type stores struct {
	notes   noteStore    // with unsaved changes of the editor
	vault   *vault.Vault // on disk
	options Options
}

// NewRegistry returns the tools of v.
func NewRegistry(v *vault.Vault, o Options) *Registry {
	o.ReadMaxLines = cmp.Or(max(o.ReadMaxLines, 0), DefaultReadMaxLines)
	o.ReadMaxBytes = cmp.Or(max(o.ReadMaxBytes, 0), DefaultReadMaxBytes)
	r := &Registry{stores{notes: v, vault: v, options: o}}
	if o.Buffers != nil {
		r.notes = buffered{v, o.Buffers}
	}
	return r
}

// Turn returns the tools for a new turn. m may be nil; then there is no send_message.
func (r *Registry) Turn(m Messenger) *Turn {
	t := &Turn{
		stores:    r.stores,
		messenger: m,
		known:     readset.New(),
	}
	for _, d := range definitions() {
		if d.offered == nil || d.offered(m, t.options) {
			t.tools = append(t.tools, bound{definition: d, turn: t})
		}
	}
	return t
}

// definitions returns all tools, sorted by name.
func definitions() []*definition {
	return slices.SortedFunc(maps.Values(byName), func(a, b *definition) int { return strings.Compare(a.name, b.name) })
}

// Call is a call that changed something.
type Call struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`        // see Arguments
	Result    string `json:"result,omitempty"` // empty: it was cut off, and it is not known what it did
}

// Arguments returns a call's arguments in a form of bounded length in which equal ones are equal.
func Arguments(args json.RawMessage) string { return string(journal.Arguments(args)) }

// Made returns the calls that changed the vault in a turn and were not undone since, as its journal has them.
func (r *Registry) Made(ctx context.Context, turn string) ([]Call, error) {
	changes, err := r.vault.History.Made(ctx, turn)
	var calls []Call
	for _, c := range changes {
		call := Call{Tool: c.Tool, Arguments: Arguments(c.Arguments)}
		if c.State == journal.Done {
			call.Result = c.Did()
		}
		calls = append(calls, call)
	}
	return calls, err
}
