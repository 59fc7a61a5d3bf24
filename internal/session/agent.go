package session

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/internal/atomicfile"
	"chatvault/internal/config"
	"chatvault/internal/session/home"
)

// End cuts the turn that runs and ends the agent, before the session is closed.
func (a *Session) End(ctx context.Context) error { return a.processor.Close(ctx) }

// CatchUp lets the background finish what turns have left to it, and so many titles that earlier
// processes did, until ctx ends.
func (a *Session) CatchUp(ctx context.Context, titles int) {
	a.processor.CatchUp(titles)
	if err := a.processor.Settle(ctx); err != nil {
		a.Log().Info("left to the next chat: titles and retrospections")
	}
}

// Vault is the vault's name, Dir its folder.
func (a *Session) Vault() string { return a.vault.Name() }

// ReadOnly says that nothing in the vault can be changed.
func (a *Session) ReadOnly() bool { return a.vault.ReadOnly() }

// Dir is the vault's folder.
func (a *Session) Dir() string { return a.vault.Dir() }

// Config is the configuration as the vault was opened with it.
func (a *Session) Config() *config.Config { return a.config }

// Provider is what answers, as far as it is known; offline: it is the embedded engine.
func (a *Session) Provider() (name string, isOffline bool) {
	name = a.provider.Name()
	return name, name == offline.Name
}

// Warnings are what is worth a line to the user, since the last call.
func (a *Session) Warnings() []string { return a.warnings.take() }

// Log is the vault's log.
func (a *Session) Log() *slog.Logger { return a.log.Logger }

// RecoverChange finds out what became of a change that a crash cut, before anything is read.
func (a *Session) RecoverChange(ctx context.Context) { home.Recover(ctx, a.vault, a.warnings.add) }

// CrashReport writes what is known of a fault for whoever mends it, and says where.
func (a *Session) CrashReport(version string, value any, stack []byte) string {
	name := "crash-" + time.Now().UTC().Format("20060102-150405") + ".txt"
	text := llm.Redact(fmt.Sprintf("chatvault %s\nThis may hold names. `chatvault doctor --report` prints a text to send, without them.\n\n%v\n\n%s", version, value, stack))
	if err := atomicfile.WriteFile(a.state, name, []byte(text), 0o600); err != nil {
		return "The report could not be written: " + err.Error()
	}
	return "Your messages are safe. A report is in " + filepath.Join(a.state.Name(), name) +
		"\n`chatvault doctor --report` makes a text of it that can be sent; read it first"
}
