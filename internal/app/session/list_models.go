package session

import (
	"cmp"
	"context"
	"sync"

	"chatvault/internal/app/session/provider"
)

// ModelActions list and select models.
type ModelActions interface {
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
	EffortActions
}

// WithoutModel describes what the embedded engine does and how to add a language model. m may be nil; lacks is what
// Lazy.Lacks returns.
func WithoutModel(m ModelActions, readOnly bool, lacks string) (does, add string) {
	does = "Without a model, it quotes and lists your notes and makes exact changes."
	if readOnly {
		does = "Without a model, it quotes and lists your notes."
	}
	if m == nil {
		return does, ""
	}
	if fixed := m.Fixed(); fixed != "" {
		return does, "For a model, " + fixed + "."
	}
	return does, cmp.Or(lacks, "/model adds one: a key, or a server here (Ollama, LM Studio, llama.cpp).")
}

// modelList reads the models of all sources.
type modelList struct {
	ModelActions
	sources []provider.ModelSource

	mu      sync.Mutex
	answers map[string]modelAnswer // by source
}

type modelAnswer struct {
	models []provider.ModelChoice
	err    error
}

// ListModels returns the list of models, which grows as their sources answer, and of the sources that can have a key.
func ListModels(m ModelActions) *List {
	l := &modelList{ModelActions: m, sources: m.Sources(), answers: map[string]modelAnswer{}}
	list := &List{Name: "model", Title: "Model", None: "No model matches", Items: l.items(), Main: "use", Once: true, Update: l.items}
	for _, s := range l.sources {
		if s.Asks {
			list.Load = append(list.Load, func(ctx context.Context) { l.ask(ctx, s.ID) })
		}
	}
	return list
}

func (l *modelList) ask(ctx context.Context, id string) {
	models, err := l.List(ctx, id)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers[id] = modelAnswer{models, err}
}

func (l *modelList) items() []Item {
	l.mu.Lock()
	defer l.mu.Unlock()
	var models, keys []Item
	for _, s := range l.sources {
		answer, answered := l.answers[s.ID]
		for _, c := range s.With(answer.models) {
			it := Item{ID: c.Name, Name: cmp.Or(c.Label, c.Name), Here: c.Here, Find: s.Title + " " + c.Name}
			if c.About != "" {
				it.Facts = []string{c.About}
			}
			use := UseModel(l, c.Name)
			it.Do = &use
			models = append(models, it)
		}
		switch err := answer.err; {
		case err != nil:
			models = append(models, Item{ID: s.ID, Name: s.Title, Below: []string{err.Error()}, Do: &Action{Not: s.Title + ": " + err.Error()}})
		case s.Asks && !answered:
			models = append(models, Item{ID: s.ID, Name: s.Title, Facts: []string{"asking for its models…"}, Do: &Action{Not: s.Title + " has not answered yet"}})
		}
		if s.Key != "" {
			keys = append(keys, l.keyItem(s))
		}
	}
	return append(models, keys...)
}

// UseModel returns the action that selects a model.
func UseModel(m ModelActions, name string) Action {
	return Action{Verb: "use", Do: func(context.Context, string) (Done, error) {
		used, err := m.Use(name)
		return Done{Said: used.Said, Model: &used}, err
	}}
}

func (l *modelList) keyItem(s provider.ModelSource) Item {
	label := "Enter a key for " + s.Title + "…"
	if s.Keyed {
		label = "Enter another key for " + s.Title + "…"
	}
	return Item{ID: "key " + s.ID, Name: label, Find: "key " + s.ID, Do: &Action{
		Verb: "store",
		Asks: &Asking{Title: "Key for " + s.Title, About: s.Key + ". " + s.KeyGoes, Masked: true},
		Do: func(ctx context.Context, key string) (Done, error) {
			said, err := l.GiveKey(ctx, s.ID, key)
			return Done{Said: said, Long: true, Changed: true, Filter: s.ID + " "}, err
		},
	}}
}
