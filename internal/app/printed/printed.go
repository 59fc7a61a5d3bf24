// Package printed runs commands where text is printed: in the line chat and in an editor. The front-end renders each
// Block in its own way.
package printed

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
)

// Block is printed together: rows, a line each, or a literal text, between a heading and a footer.
type Block struct {
	Head  string
	Rows  []string
	Whole string
	Foot  string
}

// Views runs the commands of a session. All methods except Offer must be called one at a time.
type Views struct {
	*session.Session
	Print   func(Block)
	Used    func() session.Usage
	Table   []session.Command // of all commands
	Actions *session.Actions
	Own     map[string]func(ctx context.Context, words string) // commands that the front-end runs, by name
	Without []string                                           // commands that it does not have
	Intro   string                                             // text before the commands in the help
	Offline string                                             // text before the models if the embedded engine answers; may be empty

	Event func(event.Event)                                // applies an event
	Send  func(ctx context.Context, m event.Inbound) error // sends a message
	// Retry runs an unfinished message again.
	Retry func(ctx context.Context, u session.Unfinished) error

	// For front-ends with views that need them: Moved continues with a history and prints its end, Width is the space
	// for changes of prose, Idle reports whether no turn is running (nil means always).
	Moved func(history []session.HistoryItem)
	Width func() int
	Idle  func() bool

	asked string // what the person was asked to type again
}

type view func(v *Views, ctx context.Context, words string)

// views returns the commands that this package runs, by name.
func views() map[string]view {
	return map[string]view{
		"branches": listed(func(ctx context.Context, v *Views) (*session.List, error) {
			return session.ListBranches(ctx, v.Conversations)
		}),
		"changes": listed(func(ctx context.Context, v *Views) (*session.List, error) {
			return session.ListChanges(ctx, v.Changes)
		}),
		"conversations": listed(func(ctx context.Context, v *Views) (*session.List, error) {
			return session.ListConversations(ctx, v.Conversations)
		}),
		"undo": func(v *Views, ctx context.Context, id string) {
			switch from, err := session.SinceTime(id, time.Now()); {
			case err == nil:
				v.undoSince(ctx, from, id)
				return
			case strings.Contains(id, ":"): // no turn's id does
				v.Tell("", err)
				return
			}
			v.takeBack(ctx, func(ctx context.Context) (session.Undone, error) { return v.Changes.Undo(ctx, id) }, "Undid")
		},
		"redo": func(v *Views, ctx context.Context, _ string) { v.takeBack(ctx, v.Changes.Redo, "Restored") },
		"inbox": listed(func(ctx context.Context, v *Views) (*session.List, error) {
			return session.ListInbox(ctx, v.Inbox)
		}),
		"retry":    (*Views).retry,
		"model":    (*Views).model,
		"settings": (*Views).settings,
		"trust":    (*Views).trust,
		"cost":     (*Views).usage,
		"help":     (*Views).help,
		"new": func(v *Views, ctx context.Context, _ string) {
			err := v.Conversations.New(ctx)
			if err == nil && v.Moved != nil {
				v.Moved(nil)
			}
			v.Tell("A new conversation begins with your next message.", err)
		},
	}
}

// Commands returns the available commands, without those that the vault defines.
func (v *Views) Commands() []session.Command {
	builtIn := views()
	return session.CommandsFor(v.Table, v.Actions, func(name string) bool {
		return (v.Own[name] != nil || builtIn[name] != nil) && !slices.Contains(v.Without, name)
	}, true)
}

// Reply handles the reply of a command and returns the last one that it leads to.
func (v *Views) Reply(ctx context.Context, r session.Reply) (last session.Reply, err error) {
	if r.Told != nil {
		v.Event(r.Told)
	}
	if r.Err != nil {
		v.say(r.Err.Error())
	}
	v.Tell(r.Say, nil)
	v.Tell(r.Hint, nil)
	if own, show := v.Own[r.View], views()[r.View]; own != nil {
		own(ctx, r.Words)
	} else if show != nil {
		show(v, ctx, r.Words)
	}
	switch {
	case r.Send != nil:
		err = v.Send(ctx, *r.Send)
	case r.Act != nil:
		return v.Reply(ctx, r.Act(ctx))
	}
	return r, err
}

func (v *Views) say(text string) { v.Print(Block{Head: text}) }

// Tell prints a result.
func (v *Views) Tell(said string, err error) {
	if err != nil {
		said = "Error: " + err.Error()
	}
	if said != "" {
		v.say(said)
	}
}

// TurnRuns reports whether a turn is running, and then prints that the command must wait.
func (v *Views) TurnRuns() bool {
	if v.Idle == nil || v.Idle() {
		return false
	}
	v.say("A turn is running: /stop stops it.")
	return true
}

// again reports whether the person was asked to type this again.
func (v *Views) again(what string) bool {
	again := v.asked == what
	if v.asked = what; again {
		v.asked = ""
	}
	return again
}

// which converts a number from 1 to an index below n, or prints an error about the command.
func (v *Views) which(command, number string, n int) (int, bool) {
	at, err := strconv.Atoi(number)
	if err != nil || at < 1 || at > n {
		v.say(fmt.Sprintf("Say which: %s and a number from 1 to %d", command, n))
		return 0, false
	}
	return at - 1, true
}

// Typed runs a text that is a command, or explains a mistyped one. ok is false for a message. own reports whether the
// vault defines the command.
func (v *Views) Typed(ctx context.Context, typed string, state *session.State) (r session.Reply, own, ok bool) {
	t, ok, err := v.Session.Typed(ctx, typed, v.Commands())
	switch {
	case err != nil:
		return session.Reply{Err: fmt.Errorf("The vault's own commands could not be read: %w", err)}, false, true //nolint:staticcheck // a sentence to print
	case !ok || t.Hint != "":
		return session.Reply{Hint: t.Hint}, false, ok
	}
	return t.Command.Do(session.Call{Words: t.Words, State: state, Do: v.Actions}), t.Command.Expand != nil, true
}

// help prints the commands, and those that the vault defines.
func (v *Views) help(ctx context.Context, _ string) {
	v.Print(Block{Head: v.Intro, Rows: session.CommandHelp(v.Commands())})
	custom, err := v.Custom(ctx)
	if len(custom.Commands) > 0 {
		v.Print(Block{Head: "Commands of this vault:", Rows: session.CommandHelp(custom.Commands)})
	}
	for _, f := range custom.Faults {
		v.say(f)
	}
	v.Tell("", err)
}

// Offer prints unfinished messages, if any, for /retry and /inbox.
func (v *Views) Offer(list []session.Unfinished) {
	for i, u := range list {
		b := Block{Head: fmt.Sprintf("Not finished: “%s” (%s)", text.FirstLine(u.Message.Text), u.Stands())}
		if u.ToolsRan {
			b.Head += "\n" + u.Did()
		}
		if i == len(list)-1 {
			b.Foot = "/retry sends the last one tried again, /inbox drop 1 removes the first."
		}
		v.Print(b)
	}
}

// retry runs the unfinished message that was tried last. If there is none, it prints so.
func (v *Views) retry(ctx context.Context, _ string) {
	list, err := v.Inbox.List(ctx)
	if err != nil || len(list) == 0 {
		v.Tell("There are no unfinished messages.", err)
		return
	}
	v.Tell("", v.Retry(ctx, slices.MaxFunc(list, func(a, b session.Unfinished) int { return a.LastTried.Compare(b.LastTried) })))
}

// undoSince undoes everything since a time, when it is typed again.
func (v *Views) undoSince(ctx context.Context, from time.Time, typed string) {
	a, err := session.UndoSince(ctx, v.Changes, from)
	switch {
	case err != nil:
		v.Tell("", err)
	case !v.TurnRuns() && v.consents(a, "undo "+typed, "/undo "+typed, "undo them"):
		v.takeBack(ctx, func(ctx context.Context) (session.Undone, error) { return v.Changes.UndoSince(ctx, from) }, "Undid")
	}
}

// consents reports whether the person typed a command again after its consequences were printed.
func (v *Views) consents(a session.Action, key, typed, what string) bool {
	if v.again(key) {
		return true
	}
	v.say(strings.Join(append(slices.Clone(a.Consent.Items), a.Consent.Cost+". Type "+typed+" again to "+what+"."), "\n"))
	return false
}

// takeBack undoes or restores changes.
func (v *Views) takeBack(ctx context.Context, do func(context.Context) (session.Undone, error), did string) {
	if v.TurnRuns() {
		return
	}
	u, err := do(ctx)
	v.undone(u, did)
	v.Tell("", err)
}

// undone prints the result of an undo.
func (v *Views) undone(u session.Undone, did string) {
	if u.Restored {
		did = "Restored"
	}
	if len(u.Lines) > 0 {
		v.Print(Block{Head: did + " “" + u.Title + "”:", Rows: u.Lines})
	}
	if len(u.Left) > 0 {
		v.Print(Block{Head: "Unchanged:", Rows: u.Left})
	}
}

func (v *Views) usage(context.Context, string) {
	conversation, day, err := v.Usage()
	if err != nil {
		v.Tell("", err)
		return
	}
	used := v.Used()
	v.Print(Block{Rows: append([]string{session.UsageLine("This conversation", conversation), session.UsageLine("Today", day)}, used.Lines()...)})
}

// trust shows the vault's files that would steer the agent, and takes the answer after that.
func (v *Views) trust(ctx context.Context, words string) {
	switch {
	case (words == "agree" || words == "refuse") && v.asked == "trust": // it was shown
		v.asked = ""
		v.Tell(v.Trust.Answer(words == "agree"))
		return
	case words != "":
		v.say("/trust shows what this vault brings; then /trust agree and /trust refuse answer.")
		return
	}
	what, whole, err := v.Trust.Look(ctx)
	switch {
	case err != nil:
		v.say("What this vault brings cannot be read: " + err.Error())
	case whole == "":
		v.say("This vault brings nothing that you have not agreed to.")
	default:
		v.asked = "trust"
		v.Print(Block{
			Head: "This vault brings " + what + ", which is not used until you agree:", Whole: strings.TrimSuffix(whole, "\n"), Foot: "Type /trust agree to let it steer the agent, or /trust refuse.",
		})
	}
}
