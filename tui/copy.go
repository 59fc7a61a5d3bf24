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

// copier copies text to the clipboard.
type copier struct{ *shared }

// copiedMsg is the result of copying; what names the text.
type copiedMsg struct {
	what string
	session.Copied
	err error
}

// errNothing is returned if there is no text to copy.
var errNothing = errors.New("it is empty")

// copyText copies a text; what names it, for example "the answer".
func (c *copier) copyText(what, text string) tea.Cmd {
	return c.copyFrom(what, func(context.Context) (string, error) { return text, nil })
}

// copyFrom copies the result of text.
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

// counts formats the number of lines of a copied text; empty for a single line.
func counts(text string) string {
	n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(", %d lines", n)
}

// copied shows the result. A file is shown with its full path, in the transcript if the status line is too short.
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
	c.appendItem(chat.NewNotice(c.env, texts[0]))
	return c.flash("The last line of the conversation says where it is", 3*quitWindow)
}

// copiedTexts returns variants of the message, longest first; settled reports whether the user need not do anything.
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
		return []string{"Sent to the terminal's clipboard (OSC 52); if that fails, it is in " + file, "Sent by OSC 52; also in " + file}, false
	case msg.TooLong:
		return []string{"Too long for the terminal's clipboard; it is in " + file, "Too long to send; it is in " + file}, false
	}
	return []string{"No clipboard found; it is in " + file, "It is in " + file}, false
}

// copyLast handles /copy: it copies the last answer.
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

// copyCommand handles /copy with an argument: "code" is the last code block, "all" the conversation.
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

// copyLastCode copies the agent's last code block.
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

// inLanguage formats the language of a code block, if known.
func inLanguage(c markdown.Code) string {
	if c.Language == "" {
		return ""
	}
	return " (" + phrase.Line(phrase.Head(c.Language, 40)) + ")"
}
