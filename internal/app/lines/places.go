package lines

import (
	"context"
	"slices"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
)

// settingsCommand lists the settings, describes one, or sets it.
func (l *lines) settingsCommand(ctx context.Context, words string) {
	list := session.ListSettings(ctx, l.o.Settings, false)
	key, value, _ := strings.Cut(words, " ")
	if key == "" {
		for _, w := range list.Warnings {
			l.print.say("Note: " + w)
		}
		for _, it := range list.Items {
			l.print.say(it.Name + ": " + it.Value + " (" + it.Facts[0] + ")")
		}
		l.print.say("/settings KEY says what a setting is for, /settings KEY VALUE sets it, /settings KEY default resets it.")
		return
	}
	i := slices.IndexFunc(list.Items, func(it session.Item) bool { return it.ID == key })
	if i < 0 {
		l.print.say("There is no setting " + key + "; /settings lists them.")
		return
	}
	it := list.Items[i]
	var choices []string
	if it.Do.Choices != nil {
		choices = text.Of(it.Do.Choices.Items, func(it session.Item) string { return it.Name })
	}
	value = strings.TrimSpace(value)
	if value == "" {
		said := key + ": " + it.Note + "\nIt is " + it.Value + " (" + it.Facts[0] + ")."
		if choices != nil {
			said += " It can be " + strings.Join(choices, ", ") + "."
		}
		l.print.say(said)
		return
	}
	do := it.Do
	if value == "default" && !slices.Contains(choices, value) {
		do, value = it.Reset, ""
	}
	if do.Not != "" {
		l.print.say("Not changed: " + do.Not + ".")
		return
	}
	done, err := do.Do(ctx, value)
	if err != nil {
		l.print.say("Not changed: " + key + " " + strings.TrimPrefix(err.Error(), key+" "))
		return
	}
	l.print.say(done.Said + ".")
}

// vaultCommand lists the vaults. Switching requires a restart.
func (l *lines) vaultCommand(_ context.Context, folder string) {
	if folder != "" {
		l.print.say("To switch to it: /quit, then chatvault --accessible --vault " + folder)
		return
	}
	list, err := session.KnownVaults(l.o.Dir())
	if err != nil {
		l.views.Tell("", err)
	}
	for _, v := range list {
		text := v.Name + ", in " + v.Dir
		switch {
		case v.Here:
			text += ": this one"
		case v.Missing:
			text += ": its folder was not found"
		}
		l.print.say(text)
	}
	l.print.say("To switch to another: /quit, then chatvault --accessible --vault FOLDER.")
}

// editCommand sends the last message with another text, as a new branch.
func (l *lines) editCommand(ctx context.Context, text string) {
	if l.views.TurnRuns() {
		return
	}
	items, err := l.o.Conversations.History(ctx)
	if err != nil {
		l.views.Tell("", err)
		return
	}
	var last *session.HistoryItem
	for i, h := range items {
		if h.Role == session.HistoryUser && !h.Added {
			last = &items[i]
		}
	}
	switch {
	case last == nil:
		l.print.say("No message of yours to edit in this conversation.")
		return
	case text == "":
		l.print.say("Your last message: " + last.Content + "\n/edit TEXT sends TEXT in its place, as a new branch. What its turn changed stays; use /undo first to undo it.")
		return
	}
	moved, err := l.o.Conversations.Fork(ctx, last.Turn)
	if err != nil {
		l.print.say("Not sent: " + err.Error())
		return
	}
	said := "Sent in its place; /branches finds what was before."
	if len(moved.Changed) > 0 {
		said += " Unchanged: " + strings.Join(moved.Changed, "; ") + "."
	}
	l.print.say(said)
	l.state.Moved(nil)
	l.send(ctx, event.Inbound{Text: text})
}
