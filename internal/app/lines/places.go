package lines

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
)

// settingsCommand lists the settings, describes one, or sets it.
func (l *lines) settingsCommand(ctx context.Context, words string) {
	list, wrong := l.o.Settings.List(ctx)
	key, value, set := strings.Cut(words, " ")
	if key == "" {
		for _, w := range wrong {
			l.print.say("Note: " + w)
		}
		for _, s := range list {
			l.print.say(s.Key + ": " + cmp.Or(s.Shown, "not set") + " (" + s.Origin + ")")
		}
		l.print.say("/settings KEY says what a setting is for, /settings KEY VALUE sets it, /settings KEY default resets it.")
		return
	}
	i := slices.IndexFunc(list, func(s session.Setting) bool { return s.Key == key })
	if i < 0 {
		l.print.say("There is no setting " + key + "; /settings lists them.")
		return
	}
	s := list[i]
	value = strings.TrimSpace(value)
	switch {
	case !set || value == "":
		text := s.Key + ": " + s.About + "\nIt is " + cmp.Or(s.Shown, "not set") + " (" + s.Origin + ")."
		if len(s.Choices) > 0 {
			text += " It can be " + strings.Join(s.Choices, ", ") + "."
		}
		l.print.say(text)
		return
	case s.Fixed != "":
		l.print.say("Not changed: " + s.Fixed + " overrides it in this run.")
		return
	case s.Kind == session.SettingFixed:
		l.print.say("Not changed: it is set in the file; chatvault config path names it.")
		return
	}
	typed := &value
	if value == "default" && !slices.Contains(s.Choices, "default") {
		typed = nil
	}
	said, err := l.o.Settings.Set(ctx, key, typed, false)
	if err != nil {
		l.print.say("Not changed: " + key + " " + err.Error())
		return
	}
	if !s.AtOnce {
		said += "; it takes effect at the next start"
	}
	l.print.say(text.Capital(said) + ".")
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
