package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// Gatekeeper asks the user whether a tool of another program may be called. The agent's messenger is one. always reports
// permanent consent.
type Gatekeeper interface {
	AllowTool(ctx context.Context, p tools.Proposal, why string) (always bool, err error)
}

// errUnattended is the error if the user cannot be asked.
var errUnattended = errors.New("the first call of another program's tool needs the user's consent, and there is no way to ask for it here; allow it permanently in the chat")

// allowed asks for consent to a call, unless the user has given it permanently. An error refuses the call.
func (b bound) allowed(ctx context.Context, r *remote, args json.RawMessage) error {
	if b.server.all.o.Allowed.Has(r.print) {
		return nil
	}
	g, ok := b.messenger.(Gatekeeper)
	if !ok {
		return errUnattended
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

// Allowed stores the user's permanent consent to tools, by the hash of program, name, description and schema, in the
// user's state folder. A nil *Allowed has none.
type Allowed struct {
	dir string // may not exist yet

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

// LoadAllowed reads the list from a folder. On an error the list is empty.
func LoadAllowed(dir string) (*Allowed, error) {
	a := &Allowed{dir: dir, prints: map[string]allowance{}}
	root, err := os.OpenRoot(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return a, err
	}
	defer func() { _ = root.Close() }()
	return a, a.read(root)
}

func (a *Allowed) read(root *os.Root) error {
	var kept allowedKept
	err := statefile.ReadJSON(root, allowedFile, maxAllowed, allowedSchema, &kept)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the list of MCP tools you allowed cannot be read, so you will be asked about each again: %s: %w", filepath.Join(a.dir, allowedFile), err)
	case kept.Tools != nil:
		a.prints = kept.Tools
	}
	return nil
}

// Has reports whether a tool is allowed.
func (a *Allowed) Has(print string) bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.prints[print]
	return ok
}

// Add durably allows a tool.
func (a *Allowed) Add(print, tool string) error {
	if a == nil {
		return errors.New("there is no folder to keep it in")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	_ = a.read(root) // with what other processes added
	a.prints[print] = allowance{strings.ToValidUTF8(tool, ""), time.Now().UTC().Truncate(time.Second)}
	return statefile.WriteJSON(root, allowedFile, allowedKept{allowedSchema, a.prints})
}
