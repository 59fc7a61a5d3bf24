package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/routine"
	"chatvault/internal/statefile"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tools"
)

// Gatekeeper asks the user whether a tool of another program may be called; *agent's messenger is one.
// always says that it may be from now on, as long as it stays what it is.
type Gatekeeper interface {
	AllowTool(ctx context.Context, p tools.Proposal, why string) (always bool, err error)
}

// errNobody is the refusal where nobody can be asked.
var errNobody = errors.New("the first call of another program's tool needs the user's consent, and nobody can be asked here; allow it permanently in the chat")

// maxQuestion bounds a question of a server, in bytes: it is shown whole or not at all.
const maxQuestion = 4000

// allowed asks for consent where none was given.
func (b bound) allowed(ctx context.Context, r *remote, args json.RawMessage) error {
	if b.server.all.o.Allowed.Has(r.print) {
		return nil
	}
	g, ok := b.messenger.(Gatekeeper)
	if !ok {
		return errNobody
	}
	var shown bytes.Buffer
	if json.Compact(&shown, args) != nil {
		shown.WriteString("{}")
	}
	p := tools.Proposal{
		Tool: r.name, Kind: tools.ChangeTool, Path: r.name, Print: r.print,
		Detail: "arguments: " + shown.String(),
	}
	why := fmt.Sprintf("%s is a tool of the MCP server %s, which describes it as: “%s”. It gets these arguments, and chatvault cannot undo what it does.",
		r.remote, r.server.config.Name, text.OneLine(r.description))
	always, err := g.AllowTool(ctx, p, why)
	if err != nil || !always {
		return err
	}
	if err := b.server.all.o.Allowed.Add(r.print, r.name); err != nil {
		b.server.all.o.Tell("It is allowed for now; you will be asked again: " + err.Error())
	}
	return nil
}

// Allowed are the tools that the user allowed for good, by what they are: another program, name,
// description or schema is another tool. It is kept in the user's own state folder.
type Allowed struct {
	dir string // which may not be there yet

	mu     sync.Mutex
	prints map[string]allowance
}

type allowance struct {
	Tool string    `json:"tool"`
	Time time.Time `json:"time"`
}

const (
	allowedFile   = "mcp-allowed.json"
	allowedSchema = 1
	maxAllowed    = 4 << 20 // bytes
)

type allowedKept struct {
	Schema int                  `json:"schema"`
	Tools  map[string]allowance `json:"tools"`
}

// LoadAllowed reads them from a folder. The error says what could not be read: nothing of that is allowed.
func LoadAllowed(dir string) (*Allowed, error) {
	a := &Allowed{dir: dir, prints: map[string]allowance{}}
	return a, a.read()
}

func (a *Allowed) read() error {
	root, err := os.OpenRoot(a.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	var kept allowedKept
	switch err := statefile.ReadJSON(root, allowedFile, maxAllowed, allowedSchema, &kept); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the list of MCP tools you allowed cannot be read, so you will be asked about each again: %s: %w", filepath.Join(a.dir, allowedFile), err)
	}
	if kept.Tools != nil {
		a.prints = kept.Tools
	}
	return nil
}

// Has says whether a tool was allowed. The nil *Allowed has none.
func (a *Allowed) Has(print string) bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.prints[print]
	return ok
}

// Add allows a tool for good, durably.
func (a *Allowed) Add(print, tool string) error {
	if a == nil {
		return errors.New("there is no folder to keep it in")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.read() // what another process added
	a.prints[print] = allowance{strings.ToValidUTF8(tool, ""), time.Now().UTC().Truncate(time.Second)}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return statefile.WriteJSON(root, allowedFile, allowedKept{allowedSchema, a.prints})
}

// Asker puts a question of a server to the user; ok is false where they do not answer.
type Asker interface {
	AskValue(ctx context.Context, name, why string) (value string, ok bool, err error)
}

// asked lets the server ask the user during a call, until done is called, which withdraws what is open.
func (l *link) asked(call context.Context, a Asker) (done func()) {
	call, cancel := context.WithCancel(call)
	set := func(a Asker) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ask, l.call = a, call
	}
	set(a)
	return func() {
		set(nil)
		cancel()
		l.asking <- struct{}{} // the question on the screen is withdrawn before the turn continues
		<-l.asking
	}
}

// maxFields is how many questions a server may ask at once.
const maxFields = 6

// secretive is what asks for what no server should be told.
var secretive = regexp.MustCompile(`(?i)pass ?(word|phrase|code|wd)|secret|token|api[ _-]?key|private[ _-]?key|credential|\bpin\b|\botp\b|2fa|cvv|card number|seed phrase`)

// elicited puts what a server wants to know to the user, a question each, while it works on a call. What
// looks like a secret is refused, and so is every address it wants to have opened.
func (l *link) elicited(ctx context.Context, server string, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	l.mu.Lock()
	asker, call := l.ask, l.call
	l.mu.Unlock()
	no := &sdk.ElicitResult{Action: "decline"}
	if asker == nil || p.Mode == "url" || p.URL != "" {
		return no, nil
	}
	var schema struct {
		Properties map[string]map[string]any `json:"properties"`
		Required   []string                  `json:"required"`
	}
	data, _ := json.Marshal(p.RequestedSchema) // what cannot be told is no schema below
	if json.Unmarshal(data, &schema) != nil || len(schema.Properties) > maxFields || len(p.Message) > maxQuestion || secretive.MatchString(p.Message) || secretive.Match(data) {
		return no, nil // what makes no sense is declined
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(call, routine.Guard("mcp question", cancel))()
	select {
	case l.asking <- struct{}{}: // one question at a time
		defer func() { <-l.asking }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	content := map[string]any{}
	names := slices.Sorted(maps.Keys(schema.Properties))
	message := terminal.StrictLine(p.Message)
	if len(names) == 0 { // it only wants a yes
		value, ok, err := asker.AskValue(ctx, "yes, for the MCP server "+server, fmt.Sprintf("The server %s asks: “%s” Type yes to agree.", server, message))
		if err != nil || !ok || !strings.EqualFold(value, "yes") {
			return no, err
		}
		return &sdk.ElicitResult{Action: "accept"}, nil
	}
	for _, name := range names {
		f := schema.Properties[name]
		value, ok, err := asker.AskValue(ctx, text.Clip(terminal.StrictLine(name), 60)+", for the MCP server "+server,
			fmt.Sprintf("The server %s asks: “%s”%s What you type is sent to it.", server, message, choices(f)))
		if err != nil {
			return nil, err
		}
		if !ok {
			if slices.Contains(schema.Required, name) {
				return no, nil
			}
			continue
		}
		if content[name], ok = typed(f, value); !ok {
			return no, nil
		}
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}

// choices names what may be answered.
func choices(f map[string]any) string {
	list, _ := f["enum"].([]any)
	var names []string
	for _, x := range list {
		names = append(names, text.Clip(terminal.StrictLine(fmt.Sprint(x)), 40))
	}
	if len(names) == 0 {
		return ""
	}
	return " One of: " + text.Clip(strings.Join(names, ", "), 400) + "."
}

// typed is what was typed as the type that the field has.
func typed(f map[string]any, value string) (any, bool) {
	switch f["type"] {
	case "integer":
		n, err := strconv.Atoi(value)
		return n, err == nil
	case "number":
		n, err := strconv.ParseFloat(value, 64)
		return n, err == nil
	case "boolean":
		switch strings.ToLower(value) {
		case "yes", "y", "true":
			return true, true
		case "no", "n", "false":
			return false, true
		}
		return nil, false
	case "array", "object":
		return nil, false
	}
	return value, true
}
