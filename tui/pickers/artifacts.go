package pickers

import (
	"context"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session/artifacts"
	"chatvault/internal/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Kept are what conversations brought beside words.
type Kept interface {
	Artifacts(ctx context.Context) ([]artifacts.Artifact, error) // newest first
	ArtifactBytes(hash string) ([]byte, error)
	SaveArtifact(ctx context.Context, hash, name string) (path string, err error)
}

// Artifacts lists them.
type Artifacts struct {
	*Base
	Kept Kept
}

// Open is /artifacts.
func (a *Artifacts) Open() tea.Cmd {
	return fetch(a.Base, "The artifacts could not be read: ", a.Kept.Artifacts, a.show)
}

func (a *Artifacts) show(all []artifacts.Artifact) tea.Cmd {
	rows := make([]dialog.Row, len(all))
	for i, x := range all {
		rows[i] = dialog.Row{
			Label: phrase.Line(x.Name), Right: a.about(x), Below: below(x), Find: x.Conversation,
			Result: loop.Do(func() tea.Cmd { return a.read(x) }), Stays: true,
		}
	}
	a.browse(dialog.NewPicker(a.env.Styles, "Artifacts", "Nothing has brought one yet", rows, []string{
		"Type to filter · Enter to look at it · Esc to close", "Enter to open · Esc to close",
	}))
	return nil
}

// about is what one is, how large, and since when it is there.
func (a *Artifacts) about(x artifacts.Artifact) string {
	return phrase.Join(x.MediaType, phrase.Bytes(x.Size), phrase.Time(x.Time, a.env.Now()))
}

func below(x artifacts.Artifact) []string {
	switch {
	case x.Reason != "":
		return []string{"not kept: " + phrase.Line(x.Reason)}
	case x.Conversation != "":
		return []string{phrase.Line(x.Conversation)}
	}
	return nil
}

// maxShown bounds how much of a text is shown, in bytes: to look at, not to work with.
const maxShown = 20_000

// read shows one, where it is text, and offers to save it.
func (a *Artifacts) read(x artifacts.Artifact) tea.Cmd {
	data := func(context.Context) ([]byte, error) { return a.Kept.ArtifactBytes(x.Hash) }
	return fetch(a.Base, x.Name+" cannot be shown: ", data, func(data []byte) tea.Cmd {
		if a.picker == nil {
			return nil // it was closed meanwhile
		}
		column := list.New(chat.Gap)
		column.Append(chat.NewNotice(a.env, shown(data)))
		a.Base.read(dialog.NewReader(a.env.Styles, x.Name, a.about(x), column, []dialog.Choice{
			{Label: "Save it into the vault", Short: "Save it", Result: loop.Do(func() tea.Cmd { return a.save(x) })},
			{Label: "Back", Safe: true},
		}, nil, a.Writing()))
		return nil
	})
}

// shown is content as a person reads it.
func shown(data []byte) string {
	if !utf8.Valid(data) || strings.ContainsRune(string(data[:min(len(data), maxShown)]), 0) {
		return "It is not text, so it is not shown here. Saved into the vault, it opens with the program for its kind."
	}
	words := text.Head(string(data), maxShown)
	if len(words) < len(data) {
		words += "\n[… " + phrase.Bytes(int64(len(data)-len(words))) + " more]"
	}
	return words
}

func (a *Artifacts) save(x artifacts.Artifact) tea.Cmd {
	a.Stop()
	save := func(ctx context.Context) (string, error) { return a.Kept.SaveArtifact(ctx, x.Hash, x.Name) }
	return loop.Then(a.ctx, save, func(path string, err error) tea.Cmd {
		if err != nil {
			a.Announce(chat.NewError(a.env, x.Name+" was not saved: "+err.Error()))
			return nil
		}
		a.Announce(chat.NewNotice(a.env, "Saved as "+path+" · /undo removes it again"))
		return nil
	})
}
