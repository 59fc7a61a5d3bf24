package session

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/internal/atomicfile"
	"chatvault/internal/config"
	"chatvault/internal/session/home"
)

// Submit accepts a message; it is durable when the error is nil. The message comes back with its ID and
// Time.
func (a *Session) Submit(ctx context.Context, m event.Inbound) (event.Inbound, error) {
	return a.processor.Submit(ctx, m)
}

// Stop stops the running turn; a no-op when there is none.
func (a *Session) Stop() { a.processor.Stop() }

// TakeBack takes a queued message out of the queue; false when it already went.
func (a *Session) TakeBack(id string) (event.Inbound, bool) { return a.processor.TakeBack(id) }

// Answer answers a request of the running turn; an error when nobody waits for it any more, or when it is
// no answer to it.
func (a *Session) Answer(id string, answer event.Answer) error { return a.processor.Answer(id, answer) }

// Subscribe tells what happens from now on.
func (a *Session) Subscribe() *event.Subscription { return a.processor.Subscribe() }

// Busy says that a turn runs or is about to.
func (a *Session) Busy() bool { return a.processor.Busy() }

// Drain takes no further message.
func (a *Session) Drain() { a.processor.Drain() }

// End cuts the turn that runs and ends the agent, before the session is closed.
func (a *Session) End(ctx context.Context) error { return a.processor.Close(ctx) }

// Goal is how the goal stands.
func (a *Session) Goal() event.Goal { return a.processor.Goal() }

// SetGoal makes text the goal, or drops the goal when it is empty.
func (a *Session) SetGoal(text string) (event.Goal, error) { return a.processor.SetGoal(text) }

// ResumeGoal goes on with a paused one.
func (a *Session) ResumeGoal() error { return a.processor.ResumeGoal() }

// Approval says which changes wait for the user's consent.
func (a *Session) Approval() event.Approval { return a.processor.Approval() }

// SetApproval has other changes wait from now on, until the program ends.
func (a *Session) SetApproval(v event.Approval) error { return a.processor.SetApproval(v) }

// Usage is what the conversation and the local day have used.
func (a *Session) Usage() (conversation, day event.Totals, err error) { return a.processor.Usage() }

// Context is how many tokens of the model's window the conversation took when it was last known; 0: not
// known.
func (a *Session) Context() (tokens, window int) { return a.processor.Context() }

// Costs is what the days and conversations of the vault have used.
func (a *Session) Costs() (event.Costs, error) { return a.processor.Costs() }

// Working reports whether a turn, a compaction or a review that the user asked for is not done.
func (a *Session) Working() bool { return a.processor.Working() }

// Finish cuts the running turn, whose message is kept, and waits until ctx ends for the model call that the
// background is at. Nothing more is begun.
func (a *Session) Finish(ctx context.Context) { a.processor.Finish(ctx) }

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
