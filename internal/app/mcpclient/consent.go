package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/internal/app/config"
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
	if Allowed(r.print) {
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
	if err := Allow(r.print, r.name); err != nil {
		b.server.all.o.Tell("It is allowed for now; you will be asked again: " + err.Error())
	}
	return nil
}

// allowance is permanent consent to a tool or server.
type allowance struct {
	Print string    `json:"print"` // hash of what the user agreed to
	Name  string    `json:"name"`
	Time  time.Time `json:"time"`
}

var allowances = config.StateList[allowance]{File: "mcp-tools.json", Key: "allowed", Most: 2000}

// CheckAllowed returns an error if the permanent consents cannot be read. Then there are none.
func CheckAllowed() error {
	if _, err := allowances.Read(); err != nil {
		return fmt.Errorf("you will be asked again about MCP tools that you allowed: %w", err)
	}
	return nil
}

// Allowed reports whether the user has given permanent consent to what has a hash.
func Allowed(print string) bool {
	list, _ := allowances.Read() // CheckAllowed reports an error
	return slices.ContainsFunc(list, func(a allowance) bool { return a.Print == print })
}

// Allow durably records permanent consent.
func Allow(print, name string) error {
	now := time.Now().UTC().Truncate(time.Second)
	return allowances.Put(allowance{print, strings.ToValidUTF8(name, ""), now}, func(a allowance) bool { return a.Print == print })
}
