package pickers

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// ModelSources lists and selects models (/model).
type ModelSources interface {
	// Sources returns the providers of models without contacting them.
	Sources() []provider.ModelSource
	// List returns the models of a provider. It may take a few seconds; its error is a sentence for the user.
	List(ctx context.Context, id string) ([]provider.ModelChoice, error)
	// Use selects a model from the next turn on and saves the choice for this vault. name is a ModelChoice.Name or as
	// typed by the user; empty selects the configured model.
	Use(name string) (provider.ModelUsed, error)
	// GiveKey stores a typed key.
	GiveKey(ctx context.Context, id, key string) (said string, err error)
	// Fixed returns a hint for starting with another model if none can be selected: "start chatvault without
	// --offline".
	Fixed() string
	session.EffortActions
}

// Models is the list of models, which grows as providers answer, with prompts for their keys.
type Models struct {
	*Base
	From ModelSources
	// Taken switches to the selected model and returns the message for the user.
	Taken func(used provider.ModelUsed) string
}

// modelAnswer is a provider's list of models, or its error.
type modelAnswer struct {
	list []provider.ModelChoice
	err  error
}

// Open handles /model.
func (m *Models) Open() tea.Cmd { return m.list("") }

// list opens the list with a filter text.
func (m *Models) list(typed string) tea.Cmd {
	if m.From == nil {
		return nil
	}
	sources, answered := m.From.Sources(), map[string]modelAnswer{}
	p := dialog.NewPicker(m.Env.Styles, "Model", "No model matches", m.rows(sources, answered), []string{
		"Type to filter", "Enter to select", "Esc back",
	})
	p.MarkHere()
	if typed != "" {
		p.Write(typed)
	}
	m.Dialogs.Push(p)
	var cmds []tea.Cmd
	for _, s := range sources {
		if !s.Asks {
			continue
		}
		list := func(ctx context.Context) ([]provider.ModelChoice, error) { return m.From.List(ctx, s.ID) }
		cmds = append(cmds, loop.Then(m.Ctx, list, func(choices []provider.ModelChoice, err error) tea.Cmd {
			answered[s.ID] = modelAnswer{choices, err}
			p.Refresh(m.rows(sources, answered))
			return nil
		}))
	}
	return tea.Batch(cmds...)
}

// Named handles /model with a name: it selects the model and shows the result.
func (m *Models) Named(name string) tea.Cmd {
	use := func(context.Context) (provider.ModelUsed, error) { return m.From.Use(name) }
	return fetch(m.Base, "", use, func(used provider.ModelUsed) tea.Cmd {
		return m.Flash(phrase.Join(m.Taken(used), used.Said), long)
	})
}

// rows returns the rows for the answers received so far.
func (m *Models) rows(sources []provider.ModelSource, answers map[string]modelAnswer) []dialog.Row {
	var rows, keys []dialog.Row
	why := func(text string) loop.Do { return func() tea.Cmd { return m.Flash(text, long) } }
	for _, s := range sources {
		answer, answered := answers[s.ID]
		for _, c := range s.With(answer.list) {
			rows = append(rows, dialog.Row{
				ID: s.ID + "\x00" + c.Name, Label: cmp.Or(c.Label, c.Name), Right: c.About, Short: c.Short, Here: c.Here,
				Find: s.Title + " " + c.Name, Result: loop.Do(func() tea.Cmd { return m.Named(c.Name) }),
			})
		}
		switch {
		case s.Asks && !answered:
			rows = append(rows, dialog.Row{ID: s.ID, Label: s.Title, Right: "asking for its models…", Result: why(s.Title + " has not answered yet"), Stays: true})
		case answer.err != nil:
			rows = append(rows, dialog.Row{ID: s.ID, Label: s.Title, Below: []string{phrase.Line(answer.err.Error())}, Result: why(s.Title + ": " + answer.err.Error()), Stays: true})
		}
		if s.Key != "" {
			label := "Enter a key for " + s.Title + "…"
			if s.Keyed {
				label = "Enter another key for " + s.Title + "…"
			}
			keys = append(keys, dialog.Row{ID: "key\x00" + s.ID, Label: label, Find: "key " + s.ID, Result: loop.Do(func() tea.Cmd {
				m.askForKey(s, "")
				return nil
			})})
		}
	}
	return slices.Concat(rows, m.efforts(), keys)
}

// efforts returns the reasoning efforts of the current model.
func (m *Models) efforts() []dialog.Row {
	model, all := m.From.Efforts()
	var rows []dialog.Row
	now := m.From.Effort()
	for _, effort := range all {
		of := "of " + model
		if effort == now {
			of = "now · " + of
		}
		rows = append(rows, dialog.Row{
			ID: "effort\x00" + effort, Label: "Reasoning effort: " + effort, Right: of, Find: "reasoning effort " + effort,
			Result: loop.Do(func() tea.Cmd {
				use := func(context.Context) (string, error) { return m.From.UseEffort(effort) }
				return fetch(m.Base, "", use, func(said string) tea.Cmd { return m.Flash(said, long) })
			}),
		})
	}
	return rows
}

// askForKey asks for a provider's key; wrong is the error of the previous attempt.
func (m *Models) askForKey(s provider.ModelSource, wrong string) {
	ask := dialog.NewAsk(m.Env.Styles, "Key for "+s.Title, s.Key+". "+s.KeyGoes, true,
		func(key string) any { return loop.Do(func() tea.Cmd { return m.giveKey(s, key) }) }, nil,
		"Enter to store", "Esc to go back")
	if wrong != "" {
		ask.Say(text.Capital(wrong))
	}
	m.Dialogs.Push(ask)
}

// giveKey stores a key and returns to the list, filtered by the provider.
func (m *Models) giveKey(s provider.ModelSource, key string) tea.Cmd {
	give := func(ctx context.Context) (string, error) { return m.From.GiveKey(ctx, s.ID, key) }
	return loop.Then(m.Ctx, give, func(said string, err error) tea.Cmd {
		if err != nil {
			m.askForKey(s, err.Error())
			return nil
		}
		m.Announce(chat.NewNotice(m.Env, said)) // it may be long
		return m.list(s.ID + " ")
	})
}
