package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/internal/atomicfile"
	"chatvault/internal/config"
	"chatvault/internal/failpoint"
	"chatvault/internal/routine"
	"chatvault/internal/session"
	"chatvault/internal/session/home"
	"chatvault/internal/session/provider"
	"chatvault/internal/terminal/tty"
	"chatvault/tui"
)

func runChat(s Streams, g *globals) error {
	if (!s.InIsTerminal || !s.Out.IsTerminal()) && !g.wantsLines(s) {
		return usageError("the chat needs a terminal on standard input and output\nTo ask once without it: chatvault ask \"your question\"")
	}
	c := &chats{streams: s, globals: g, terminal: tty.New()}
	defer c.close()
	var stop context.CancelFunc
	c.ctx, stop = signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	s.faults.screen(stop, c.rescue) // before anything runs beside
	defer endWithin(c.ctx, c.rescue)()
	if s.InIsTerminal && s.Out.IsTerminal() {
		g.unsure = func(found config.Found) error { return askUnsure(s, found) }
	}
	first, err := c.begin(g)
	if err != nil {
		return err
	}
	c.taken(first, true)
	if asLines(first.config, s) {
		return c.runLines(first)
	}
	t := c.terminal
	if err := t.Open(); err != nil {
		return failure("%v", err)
	}
	defer func() { _ = t.Close() }()
	ended := make(chan struct{})
	defer close(ended)
	routine.Go("window closed", func() { // a closed window ends the chat also where no signal says so
		select {
		case <-t.Gone():
			failpoint.Pass("round window closed")
			stop()
		case <-ended:
		}
	})
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt) // from outside: Ctrl+C is a key here
	defer signal.Stop(interrupted)
	routine.Go("interrupted", func() {
		for {
			select {
			case <-interrupted:
				if !t.Lent() { // else it is for the program that has the terminal
					stop()
				}
			case <-ended:
				return
			}
		}
	})
	err = tui.Run(c.ctx, c.options(first))
	_ = t.Close()
	if f := s.faults.caught(); f != nil {
		s.faults.end(f)
	}
	a := c.onScreen()
	if a.processor.Busy() {
		fmt.Fprintln(s.Err, "A turn was running. Its message is kept, and offered at the next start.")
	}
	var fault *tui.PanicError
	switch {
	case errors.As(err, &fault):
		return failure("%v\n%s", fault, a.crashReport(fault.Value, fault.Stack))
	case err != nil && !errors.Is(err, context.Canceled):
		return failure("%v", err)
	}
	return nil
}

// crashReport writes what is known of a fault for whoever mends it, and says where.
func (a *app) crashReport(value any, stack []byte) string {
	name := "crash-" + time.Now().UTC().Format("20060102-150405") + ".txt"
	text := llm.Redact(fmt.Sprintf("chatvault %s\n\n%v\n\n%s", versionText(), value, stack))
	if err := atomicfile.WriteFile(a.state, name, []byte(text), 0o600); err != nil {
		return "The report could not be written: " + err.Error()
	}
	return "Your messages are safe. A report is in " + filepath.Join(a.state.Name(), name)
}

// screen is what the chat is made from.
func (a *app) screen(ctx context.Context, drafts *home.Drafts) tui.Options {
	history := home.NewPromptHistory(a.state, a.vault.Dir(), func(err error) { a.logger().Warn("prompt history not written", "error", err) })
	return tui.Options{
		Processor: a.processor, Events: a.processor.Subscribe(),
		VaultName: a.vault.Name(), VaultDir: a.vault.Dir(),
		Provider: a.provider.Name(), Offline: a.provider.Name() == offline.Name,
		ProviderChanges: a.providerChanges(ctx, a.provider),
		Load:            func(ctx context.Context) (session.Loaded, error) { return a.load(ctx, drafts) },
		Earlier:         a.earlier,
		Before:          before,
		ExternalChange:  a.elsewhere,
		Unfinished:      a.unfinished,
		Retry:           func(_ context.Context, id string) error { return a.plainly(id, a.processor.Retry(id)) },
		Drop:            func(_ context.Context, id string) error { return a.plainly(id, a.processor.Drop(id)) },
		NewConversation: func(context.Context) error { a.processor.EndConversation(); return nil },
		SetGoal:         a.processor.SetGoal,
		ResumeGoal:      a.processor.ResumeGoal,
		Compact:         a.processor.Compact,
		History:         a.history,
		Fork:            a.fork,
		Backing:         a.backing(),
		Branches:        a.branches,
		Switch:          a.switchTo,
		Retrospect:      func() error { return a.processor.Retrospect("") },
		Architecture:    a.proposeArchitecture,
		Routing:         a.routing(ctx),
		Changes:         a.changes(),
		Usage:           a.processor.Usage,
		Context:         a.processor.Context,
		Costs:           a.processor.Costs,
		Custom:          a.custom,
		Keys:            a.config.Bindings(),
		PromptHistory:   history,
		SaveDraft:       drafts.Save,
		SaveFolds:       drafts.SaveFolds,
		Theme:           a.config.Theme.V,
		Mouse:           a.config.Mouse.V,
		AltScreen:       a.config.AltScreen.V,
		Version:         versionText(),
	}
}

// providerChanges looks for a local server after the first frame and tells what it found,
// where that is news. Other providers are found by the first message.
func (a *app) providerChanges(ctx context.Context, late *provider.Late) <-chan session.ProviderChange {
	if !late.Probes {
		return nil
	}
	changes := make(chan session.ProviderChange, 1)
	before := late.Name()
	routine.Go("look for a provider", func() {
		defer close(changes)
		if _, err := late.Ready(ctx); err != nil {
			a.logger().Warn("provider not ready", "error", err)
			return // the first message's error tells the user
		}
		if name := late.Name(); name != before {
			changes <- session.ProviderChange{Name: name, Offline: name == offline.Name}
		}
	})
	return changes
}

// unsent is a draft, unless it was sent: a process that is killed may have had no time left to
// forget the draft of a message that is in the inbox by then.
func unsent(draft string, pending []inbox.Entry) string {
	text := strings.TrimSpace(draft)
	for _, p := range pending {
		if strings.TrimSpace(p.Text) == text {
			return ""
		}
	}
	return draft
}

// unfinished lists the unfinished messages as they are now.
func (a *app) unfinished(context.Context) ([]session.Unfinished, error) {
	pending, warnings, err := a.processor.Unfinished()
	for _, w := range warnings {
		a.logger().Warn(w)
	}
	return unfinished(pending), err
}

func unfinished(pending []inbox.Entry) []session.Unfinished {
	var list []session.Unfinished
	for _, p := range pending {
		list = append(list, session.Unfinished{
			Message: p.Inbound, Attempts: p.Attempts, ToolsRan: p.ToolsRan, Changes: p.Changes, LastError: p.LastError, LastTried: p.LastTried,
		})
	}
	return list
}

// plainly says why a message could not be retried or dropped where that is no fault: another
// chat had offered it, too.
func (a *app) plainly(id string, err error) error {
	if err == nil {
		return nil
	}
	box := inbox.Open(a.state)
	p, loadErr := box.Load(id)
	switch {
	case errors.Is(loadErr, fs.ErrNotExist):
		return errors.New("it was finished or removed meanwhile")
	case loadErr == nil && box.Others(p):
		return errors.New("another chatvault that is open has taken it up")
	}
	return err
}

// untilPainted is how long the screen takes to write its first frame.
var untilPainted = 10 * time.Millisecond

// load reads what the chat shows at the start. It leaves the processor to the first frame before,
// so that how soon that is there does not depend on the vault.
func (a *app) load(ctx context.Context, drafts *home.Drafts) (session.Loaded, error) {
	var l session.Loaded
	select {
	case <-time.After(untilPainted):
	case <-ctx.Done():
	}
	pending, warnings, err := a.processor.Recover()
	if err != nil {
		l.Notices = append(l.Notices, err.Error())
	}
	l.Notices = append(l.Notices, warnings...)
	l.Unfinished = unfinished(pending)
	if _, err := a.processor.ChangedByOthers(); err != nil { // what other processes do from now on is noticed
		a.logger().Warn("the conversations of other processes not looked at", "error", err)
	}
	conv, err := a.conversations.Active()
	if err != nil {
		l.Notices = append(l.Notices, "The conversation so far could not be read: "+err.Error())
	}
	if conv != nil {
		p, err := a.lastPage(conv)
		if err != nil {
			a.logger().Warn("what the conversation continues was not looked for", "error", err)
		}
		l.History, l.ID, l.Earlier, l.First = p.Items, p.ID, p.Earlier, p.First
	}
	if l.Before, err = a.lastEnded(); err != nil {
		a.logger().Warn("earlier conversations not read", "error", err)
	}
	l.Goal = a.processor.Goal()
	l.Draft = unsent(drafts.Load(), pending)
	l.Folds = drafts.LoadFolds()
	if len(l.History) == 0 { // they are for the first screen
		l.Examples = a.examples(ctx)
	}
	l.Notices = append(l.Notices, a.warnings.take()...)
	a.keepIndex()
	return l, nil
}

// examples are questions for the first-run screen, made from this vault's notes.
func (a *app) examples(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	return exampleQuestions(ctx, a.vault, time.Now())
}
