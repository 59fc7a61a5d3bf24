package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/selection"
)

// copier copies what was said.
type copier struct{ *shared }

// copiedMsg says what became of a text, and what it was.
type copiedMsg struct {
	what string
	session.Copied
	err error
}

// errNothing says that there is no text to copy.
var errNothing = errors.New("it is empty")

// copyText copies a text; what names it: "the answer".
func (c *copier) copyText(what, text string) tea.Cmd {
	return c.copyFrom(what, func(context.Context) (string, error) { return text, nil })
}

// copyFrom copies what text gives.
func (c *copier) copyFrom(what string, text func(context.Context) (string, error)) tea.Cmd {
	ctx, put := c.ctx, c.o.Copying
	if put == nil {
		return c.flash("Nothing can be copied here", quitWindow)
	}
	return func() tea.Msg {
		got, err := text(ctx)
		if err != nil {
			return copiedMsg{what: what, err: err}
		}
		if strings.TrimSpace(got) == "" {
			return copiedMsg{what: what, err: errNothing}
		}
		to, err := put.Copy(ctx, got)
		return copiedMsg{what: what + counts(got), Copied: to, err: err}
	}
}

// counts is how long a copied text is, to be told: nothing of a single line.
func counts(text string) string {
	n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(", %d lines", n)
}

// copied tells what became of a text. A file is named in full: where there is no room for that in
// the status line, at the end of what was said.
func (c *copier) copied(msg copiedMsg) tea.Cmd {
	texts, settled := copiedTexts(msg)
	if settled {
		return c.flash(texts[0], 2*quitWindow)
	}
	for _, text := range texts {
		if len(markdown.Wrap(terminal.Line(text), "", max(c.lay.Width, 1))) <= maxHint {
			return c.flash(text, 10*quitWindow)
		}
	}
	c.say(chat.NewNotice(c.env, texts[0]))
	return c.flash("The last line of the conversation says where it is", 3*quitWindow)
}

// copiedTexts put it into words, the longest way first; settled says that there is nothing the user
// has to do.
func copiedTexts(msg copiedMsg) (texts []string, settled bool) {
	file := phrase.Line(msg.File)
	switch {
	case msg.err != nil:
		return []string{"Not copied: " + msg.err.Error()}, false
	case msg.By == "tmux":
		return []string{"Copied to tmux (prefix ] pastes it): " + msg.what}, true
	case msg.By != "":
		return []string{"Copied: " + msg.what}, true
	case msg.Sent && file == "":
		return []string{"Sent to the terminal's clipboard (OSC 52), which does not confirm it: " + msg.what}, false
	case msg.Sent:
		return []string{"Sent to the terminal's clipboard (OSC 52); if that fails, it is in " + file, "Sent by OSC 52; else it is in " + file}, false
	case msg.TooLong:
		return []string{"Too long for the terminal's clipboard; it is in " + file, "Too long to send; it is in " + file}, false
	}
	return []string{"No clipboard found; it is in " + file, "It is in " + file}, false
}

// copyLast is /copy: the last answer.
func (c *copier) copyLast() tea.Cmd {
	var last *chat.Assistant
	selection.BackTo(c.list, func(it list.Item) bool {
		a, ok := it.(*chat.Assistant)
		if ok && !a.Empty() {
			last = a
		}
		return last != nil
	})
	if last == nil {
		return c.flash("No answer to copy here", quitWindow)
	}
	text, _ := last.Raw()
	return c.copyText("the last answer", text)
}

// copyCommand is /copy with words after it: "code", the last block of code; "all", the
// conversation.
func (c *copier) copyCommand(words string) tea.Cmd {
	switch strings.ToLower(words) {
	case "code":
		return c.copyLastCode()
	case "all":
		if c.o.Conversation == nil {
			return c.flash("The conversation cannot be copied here", quitWindow)
		}
		return c.copyFrom("the conversation", c.o.Conversation.Transcript)
	case "answer":
		return c.copyLast()
	}
	return c.flash("/copy copies the last answer, /copy code its last code block, /copy all the conversation", 3*quitWindow)
}

// copyLastCode copies the last block of code that the agent wrote.
func (c *copier) copyLastCode() tea.Cmd {
	var code []markdown.Code
	selection.BackTo(c.list, func(it list.Item) bool {
		switch it.(type) {
		case *chat.Assistant, *chat.Message:
			text, _ := it.(chat.Sourced).Raw()
			code = markdown.CodeBlocks(text)
		}
		return len(code) > 0
	})
	if len(code) == 0 {
		return c.flash("No answer here has a code block", quitWindow)
	}
	last := code[len(code)-1]
	return c.copyText("the last code block"+inLanguage(last), last.Text)
}

// inLanguage says what a block of code is in, where that is known.
func inLanguage(c markdown.Code) string {
	if c.Language == "" {
		return ""
	}
	return " (" + phrase.Line(phrase.Head(c.Language, 40)) + ")"
}
