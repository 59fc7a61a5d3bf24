package tools

import (
	"cmp"
	"context"

	"chatvault/internal/skill"
	"chatvault/tools/known"
	"chatvault/vault"
	"chatvault/vault/search"
)

// Options are the limits a user can configure, and what the tools work on beside the vault. Zero
// values mean the defaults.
type Options struct {
	ReadMaxLines int // lines read_file returns at most; 2,000 by default
	ReadMaxBytes int // bytes of text read_file returns at most; 100,000 by default

	Conversations pastConversations // what get_conversation looks into; nil: there is no such tool
	Finder        NoteFinder        // what find_notes asks; nil: there is no such tool
	Buffers       Buffers           // of the editor that the user works in; nil: there is none

	// Skills are those that the user's agent may use, as they are now; nil, or none: there is no use_skill.
	Skills func() []skill.Skill

	// Titles says whether what was asked for in a turn from there may be told; nil: it may.
	Titles func(source string) bool
}

// The defaults of Options.
const (
	DefaultReadMaxLines = 2000
	DefaultReadMaxBytes = 100_000
)

func (o Options) withDefaults() Options {
	o.ReadMaxLines = cmp.Or(max(o.ReadMaxLines, 0), DefaultReadMaxLines)
	o.ReadMaxBytes = cmp.Or(max(o.ReadMaxBytes, 0), DefaultReadMaxBytes)
	return o
}

// noteStore is what an editor may hold unsaved changes of; *vault.Vault is one that asks none.
type noteStore interface {
	Stat(ctx context.Context, path string) (vault.Info, error)
	Read(ctx context.Context, path string) (*vault.File, error)
	ReadLines(ctx context.Context, path string, r vault.LineRange) (*vault.Lines, error)
	Plan(ctx context.Context, r vault.Request) (*vault.Plan, error)
	Commit(ctx context.Context, p *vault.Plan, tell vault.CommitCheck) (vault.Change, error)
	Do(ctx context.Context, r vault.Request, tell vault.CommitCheck) (vault.Change, error)
	Search(ctx context.Context, q search.Query) (search.Result, error)
	List(ctx context.Context, q search.ListQuery) (search.ListResult, error)
	TrashName() string
}

// Registry holds the tools over one vault. It is safe for concurrent use.
type Registry struct{ stores }

// stores are what tools work on.
type stores struct {
	notes   noteStore    // with what an editor holds unsaved
	vault   *vault.Vault // as it is on disk
	options Options
}

// NewRegistry returns the tools over v.
func NewRegistry(v *vault.Vault, o Options) *Registry {
	r := &Registry{stores{notes: v, vault: v, options: o.withDefaults()}}
	if o.Buffers != nil {
		r.notes = buffered{v, o.Buffers}
	}
	return r
}

// Turn returns the tools for one turn, with nothing read and nothing changed yet.
// Without a messenger there is no send_message among them.
func (r *Registry) Turn(m Messenger) *Turn {
	t := &Turn{
		stores:    r.stores,
		messenger: m,
		byName:    make(map[string]Tool),
		known:     known.New(),
	}
	for _, d := range definitions() {
		if d.offered != nil && !d.offered(m) || d.provided != nil && !d.provided(t.options) {
			continue
		}
		b := bound{definition: d, turn: t}
		t.tools = append(t.tools, b)
		t.byName[d.name] = b
	}
	return t
}

// definitions are all tools, sorted by name.
func definitions() []*definition {
	return []*definition{
		appendFile,
		askUser,
		createFolder,
		dailyNote,
		delegate,
		deleteFile,
		editFile,
		endConversation,
		findNotes,
		getActiveNote,
		getConversation,
		getFileInfo,
		getLinks,
		getNoteHistory,
		getOutline,
		getProperties,
		getTags,
		listFiles,
		listTasks,
		moveFile,
		readFile,
		searchFiles,
		sendMessage,
		setProperty,
		taskList,
		useSkill,
		writeFile,
	}
}
