package lines

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/session"
	"chatvault/internal/session/telling"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
)

// conversationsCommand lists the conversations, or does something with one.
func (l *lines) conversationsCommand(ctx context.Context, words string) {
	list, err := l.o.Conversations.List(ctx)
	if err != nil {
		l.tell("", err)
		return
	}
	verb, rest, _ := strings.Cut(words, " ")
	switch verb {
	case "":
		if len(list) == 0 {
			l.print.say("There are no conversations yet.")
		}
		for i, p := range list {
			l.print.say(fmt.Sprintf("%d. %s", i+1, pastWords(p)))
		}
	case "find":
		l.findPast(ctx, list, strings.TrimSpace(rest))
	case "read", "rename", "export", "delete":
		l.withPast(ctx, list, verb, strings.TrimSpace(rest))
	default:
		l.continueOne(ctx, list, words)
	}
}

// pastName is what a conversation is called, and pastWords that with how long it was and when.
func pastName(p session.Past) string { return text.FirstLine(cmp.Or(p.Title, p.First)) }

func pastWords(p session.Past) string {
	when := cmp.Or(p.Ended, p.Last).Local().Format(telling.WhenLayout)
	switch {
	case p.Here:
		when = "active"
	case p.Elsewhere:
		when = "in another window"
	}
	return fmt.Sprintf("%s (%s, %s)", pastName(p), text.Count(p.Turns, "turn"), when)
}

// numbered is the conversation of a number in the list.
func (l *lines) numbered(list []session.Past, number, command string) (session.Past, bool) {
	if len(list) == 0 {
		l.print.say("There are no conversations yet.")
		return session.Past{}, false
	}
	n, ok := l.which(command, number, len(list))
	return list[n], ok
}

// findPast looks for words in all that was said, and names what holds them by its number in the list.
func (l *lines) findPast(ctx context.Context, list []session.Past, words string) {
	if words == "" {
		l.print.say("Say what to look for: /conversations find WORDS")
		return
	}
	hits, err := l.o.Conversations.Search(ctx, words)
	if err == nil && len(hits) == 0 {
		l.print.say("No conversation holds all of these words.")
	}
	for _, h := range hits {
		i := slices.IndexFunc(list, func(p session.Past) bool { return p.ID == h.ID })
		if i < 0 {
			continue // it was begun meanwhile
		}
		text := fmt.Sprintf("%d. %s", i+1, pastWords(h))
		for _, x := range h.Excerpts {
			text += "\n" + terminal.Line(x)
		}
		l.print.say(text)
	}
	l.tell("", err)
}

// withPast reads, renames, exports or deletes a conversation.
func (l *lines) withPast(ctx context.Context, list []session.Past, verb, words string) {
	number, title, _ := strings.Cut(words, " ")
	p, ok := l.numbered(list, number, "/conversations "+verb)
	if !ok {
		return
	}
	var err error
	said := ""
	switch c := l.o.Conversations; verb {
	case "read":
		var items []session.HistoryItem
		items, err = c.Read(ctx, p.ID)
		l.history(items, len(items)+1)
	case "rename":
		if title = strings.TrimSpace(title); title == "" {
			said = "Give a title: /conversations rename " + number + " TITLE"
			break
		}
		said = "Renamed to “" + title + "”."
		err = c.Rename(ctx, p.ID, title)
	case "export":
		var path string
		path, err = c.Export(ctx, p.ID)
		said = "It is in " + path + "."
	case "delete":
		switch {
		case p.Here:
			said = "That is the active conversation; /new starts another, and then it can be deleted."
		case p.Ended.IsZero():
			said = "It has not ended, so it is not deleted."
		case l.deleting != p.ID:
			l.deleting = p.ID
			said = "“" + pastName(p) + "” would be deleted for good. Type /conversations delete " + number + " again to delete it."
		default:
			l.deleting = ""
			said = "Deleted: “" + pastName(p) + "”. The others may have new numbers now."
			err = c.Delete(ctx, p.ID)
		}
	}
	l.tell(said, err)
}

// continueOne begins a conversation that goes on with one that ended.
func (l *lines) continueOne(ctx context.Context, list []session.Past, words string) {
	p, ok := l.numbered(list, words, "/conversations")
	switch {
	case !ok:
		return
	case p.Here:
		l.print.say("That is already the active one.")
		return
	case l.turnRuns():
		return
	}
	page, err := l.o.Conversations.Continue(ctx, p.ID)
	l.tell("Your next message continues it. It ended with:", err)
	if err == nil {
		l.state.Moved(page.Items)
		l.history(page.Items, 1)
	}
}

// said is a conversation that is copied from.
type said interface {
	History(ctx context.Context) ([]session.HistoryItem, error)
	Transcript(ctx context.Context) (string, error)
}

// copyFrom copies the last answer, its last block of code or the conversation.
func (l *lines) copyFrom(ctx context.Context, c said, words string) {
	if l.o.Copying == nil {
		l.print.say("Nothing can be copied into a pipe: /history reads the conversation, /export writes it to a file.")
		return
	}
	var text string
	var err error
	none := "There is no answer to copy yet."
	switch strings.ToLower(words) {
	case "all":
		text, err = c.Transcript(ctx)
	case "code":
		none = "No answer here has a code block."
		text, err = lastSaid(ctx, c, l.lastCode)
	case "", "answer":
		text, err = lastSaid(ctx, c, func(h session.HistoryItem) string {
			if h.Role != session.HistoryAssistant {
				return ""
			}
			return h.Content
		})
	default:
		l.print.say("/copy copies the last answer, /copy code its last code block, /copy all the conversation.")
		return
	}
	switch {
	case err != nil:
		l.tell("", err)
		return
	case text == "":
		l.print.say(none)
		return
	}
	got, err := l.o.Copying.Copy(ctx, text)
	switch {
	case err != nil:
		l.print.say("Not copied: " + err.Error())
	case got.By != "":
		l.print.say("Copied, by " + got.By + ".")
	case got.Sent:
		l.print.say("Sent to the terminal's clipboard, which does not confirm it. It is also in " + got.File + ".")
	default:
		l.print.say("No clipboard found. The text is in " + got.File + ".")
	}
}

// lastSaid is what of gives of the last item of the conversation of which it gives anything.
func lastSaid(ctx context.Context, c said, of func(session.HistoryItem) string) (string, error) {
	items, err := c.History(ctx)
	for i := len(items) - 1; i >= 0; i-- {
		if text := of(items[i]); text != "" {
			return text, err
		}
	}
	return "", err
}

// lastCode is the last block of code in what the agent said; empty: there is none.
func (l *lines) lastCode(h session.HistoryItem) string {
	if h.Role != session.HistoryAssistant && h.Role != session.HistoryAgentMessage && h.Role != session.HistoryQuestion {
		return ""
	}
	return l.o.LastCode(h.Content)
}
