package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session/provider"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/phrase"
)

// Models is how the model is chosen (/model).
type Models interface {
	// Sources are who has models; it returns at once and asks nobody.
	Sources() []provider.ModelSource
	// List asks one, by its ID, for its models, for a few seconds at most. Its error says in plain
	// words why there are none.
	List(ctx context.Context, id string) ([]provider.ModelChoice, error)
	// Unlisted says in whole sentences that who has the model that a name means does not list it, and
	// what is listed; empty where it is, or no list can be had. It may take a few seconds.
	Unlisted(ctx context.Context, name string) string
	// Use takes a model, by ModelChoice.Name or as the user wrote it, from the next turn on, and
	// keeps it for this vault; an empty one is what is configured.
	Use(name string) (provider.ModelUsed, error)
	// KeyGoes says where a key of a source is sent and kept. GiveKey stores one that was typed.
	KeyGoes(ctx context.Context, id string) string
	GiveKey(ctx context.Context, id, key string) (said string, err error)
	// Fixed says, where no other model can be chosen, how one starts with another: "start chatvault
	// without --offline".
	Fixed() string
}

type (
	// modelsMsg is what one source answered.
	modelsMsg struct {
		id   string
		list []provider.ModelChoice
		err  error
		of   *modelPicking
	}
	// useModelMsg is the choice of a model, unlistedModelMsg that of one that is not listed.
	useModelMsg      struct{ name string }
	unlistedModelMsg struct{ name, why string }
	// keepModelMsg is the wish to go on as before, chooseModelMsg to look at the list.
	keepModelMsg   struct{}
	chooseModelMsg struct{}
	// modelUsedMsg says what became of it.
	modelUsedMsg struct {
		used provider.ModelUsed
		err  error
	}
	// askKeyMsg is the wish to type a key for a source, and keyTypedMsg the key.
	askKeyMsg   struct{ id string }
	keyGoesMsg  struct{ id, goes, wrong string } // wrong: with the key that was typed before
	keyTypedMsg struct{ id, key string }
	keyGivenMsg struct {
		id, said string
		err      error
	}
	// whyNoModelsMsg is the wish to be told all of why a source has none.
	whyNoModelsMsg struct{ text string }
)

// modelPicking is the list of models while it is open.
type modelPicking struct {
	picker   *dialog.Picker
	sources  []provider.ModelSource
	answered map[string]modelsMsg
	cancel   context.CancelFunc
}

func (m *Model) canChoose() bool { return canChoose(m.o) }

func canChoose(o Options) bool {
	return o.Models != nil
}

// chooseHint is how another model is chosen, for the first screen.
func (m *Model) chooseHint() string {
	if !m.canChoose() || m.fixedModel() != "" {
		return ""
	}
	return "/model"
}

// fixedModel says how one starts with another model, where none can be chosen.
func (m *Model) fixedModel() string {
	if !m.canChoose() {
		return ""
	}
	return m.o.Models.Fixed()
}

// openModels is /model: a list to pick from, which grows as those who have models answer.
func (m *Model) openModels() tea.Cmd {
	if !m.canChoose() {
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	p := &modelPicking{sources: m.o.Models.Sources(), answered: map[string]modelsMsg{}, cancel: cancel}
	p.picker = dialog.NewPicker(m.styles, "Model", "Nobody has a model", p.rows(), []string{
		"Type to narrow · Enter takes it from the next turn on · Esc goes back", "Enter takes it · Esc goes back",
	})
	p.picker.MarkHere()
	m.modelList = p
	m.dialogs.Push(p.picker)
	var cmds []tea.Cmd
	list := m.o.Models.List
	for _, s := range p.sources {
		if !s.Asks {
			continue
		}
		cmds = append(cmds, func() tea.Msg {
			choices, err := list(ctx, s.ID)
			return modelsMsg{s.ID, choices, err, p}
		})
	}
	return tea.Batch(cmds...)
}

// modelCommand is /model with a name after it: one that is not listed is taken if that is meant.
func (m *Model) modelCommand(name string) tea.Cmd {
	unlisted, ctx, use := m.o.Models.Unlisted, m.ctx, m.useModel(name)
	return func() tea.Msg {
		if why := unlisted(ctx, name); why != "" {
			return unlistedModelMsg{name, why}
		}
		return use()
	}
}

// askUnlisted asks whether a model that is not listed is meant.
func (m *Model) askUnlisted(msg unlistedModelMsg) {
	m.dialogs.PushUnasked(dialog.NewConfirm(m.styles, "Take "+msg.name+"?", msg.why, "", []dialog.Choice{
		{Label: "Go on with " + m.provider, Result: keepModelMsg{}},
		{Label: "Choose one that is listed", Result: chooseModelMsg{}},
		{Label: "Take it all the same", Result: useModelMsg{msg.name}},
	}, 0, keepModelMsg{}, nil), m.now())
}

// useModel takes a model.
func (m *Model) useModel(name string) tea.Cmd {
	use := m.o.Models.Use
	return func() tea.Msg {
		used, err := use(name)
		return modelUsedMsg{used, err}
	}
}

// rows are what is known by now.
func (p *modelPicking) rows() []dialog.Row {
	var rows, keys []dialog.Row
	for _, s := range p.sources {
		answer, answered := p.answered[s.ID]
		known := map[string]bool{}
		add := func(c provider.ModelChoice) {
			if known[c.Name] {
				return
			}
			known[c.Name] = true
			label := c.Label
			if label == "" {
				label = c.Name
			}
			rows = append(rows, dialog.Row{ID: s.ID + "\x00" + c.Name, Label: label, Right: c.About, Short: c.Short, Here: c.Here, Find: s.Title + " " + c.Name, Result: useModelMsg{c.Name}})
		}
		listed := map[string]provider.ModelChoice{}
		for _, c := range answer.list {
			listed[c.Name] = c
		}
		for _, c := range s.Choices { // what is known of it by now
			if l, ok := listed[c.Name]; ok {
				l.Label = c.Label
				c = l
			}
			add(c)
		}
		for _, c := range answer.list {
			add(c)
		}
		switch {
		case s.Asks && !answered:
			rows = append(rows, dialog.Row{ID: s.ID, Label: s.Title, Right: "asking for its models…", Result: whyNoModelsMsg{s.Title + " has not answered yet"}, Stays: true})
		case answer.err != nil:
			rows = append(rows, dialog.Row{ID: s.ID, Label: s.Title, Below: []string{phrase.Line(answer.err.Error())}, Result: whyNoModelsMsg{s.Title + ": " + answer.err.Error()}, Stays: true})
		}
		if s.Key != "" {
			label := "Enter a key for " + s.Title + "…"
			if s.Keyed {
				label = "Enter another key for " + s.Title + "…"
			}
			keys = append(keys, dialog.Row{ID: "key\x00" + s.ID, Label: label, Find: "key " + s.ID, Result: askKeyMsg{s.ID}})
		}
	}
	return append(rows, keys...)
}

// modelled routes what comes of choosing a model.
func (m *Model) modelled(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case modelsMsg:
		if msg.of == m.modelList && msg.of != nil {
			m.modelList.answered[msg.id] = msg
			m.modelList.picker.Refresh(m.modelList.rows())
		}
		return nil, true
	case whyNoModelsMsg:
		return m.pass(msg.text, 3*quitWindow), true
	case useModelMsg:
		m.stopPicking()
		return m.useModel(msg.name), true
	case unlistedModelMsg:
		m.askUnlisted(msg)
		return nil, true
	case keepModelMsg:
		return nil, true
	case chooseModelMsg:
		return m.openModels(), true
	case modelUsedMsg:
		return m.modelUsed(msg), true
	case askKeyMsg:
		m.stopPicking()
		return m.askForKey(msg.id, ""), true
	case keyGoesMsg:
		m.openKey(msg)
		return nil, true
	case keyTypedMsg:
		return m.giveKey(msg), true
	case keyGivenMsg:
		return m.keyGiven(msg), true
	}
	return nil, false
}

// stopPicking ends what still asks for models.
func (m *Model) stopPicking() {
	if m.modelList != nil {
		m.modelList.cancel()
		m.modelList = nil
	}
}

func (m *Model) modelUsed(msg modelUsedMsg) tea.Cmd {
	if msg.err != nil {
		return m.pass(chat.Sentence(msg.err.Error()), 3*quitWindow)
	}
	said := ""
	if msg.used.Said != "" {
		said = " · " + msg.used.Said
	}
	m.nextModel = &msg.used
	if m.busy() {
		return m.pass("From the next turn on: "+phrase.Line(msg.used.Name)+". This one goes on with "+phrase.Line(m.provider)+said, 3*quitWindow)
	}
	m.takeModel()
	return m.pass("Model: "+phrase.Line(msg.used.Name)+said, 3*quitWindow)
}

// takeModel shows the model that was chosen once no turn runs with the one before.
func (m *Model) takeModel() {
	if m.nextModel == nil || m.busy() || m.provider == m.nextModel.Name && m.offline == m.nextModel.Offline {
		return
	}
	m.provider, m.offline = m.nextModel.Name, m.nextModel.Offline
	m.welcome.Set(m.welcomeData())
}

// askForKey asks for a source's key; wrong is what was wrong with the one before.
func (m *Model) askForKey(id, wrong string) tea.Cmd {
	ctx, goes := m.ctx, m.o.Models.KeyGoes
	return func() tea.Msg { return keyGoesMsg{id, goes(ctx, id), wrong} }
}

func (m *Model) openKey(msg keyGoesMsg) {
	for _, s := range m.o.Models.Sources() {
		if s.ID != msg.id {
			continue
		}
		ask := dialog.NewAsk(m.styles, "Key for "+s.Title, strings.TrimSpace(s.Key+". "+msg.goes), true,
			func(key string) any { return keyTypedMsg{msg.id, key} }, nil)
		ask.Foot("Enter stores it · Esc goes back without it", "Enter stores it · Esc does not")
		if msg.wrong != "" {
			ask.Say(chat.Sentence(msg.wrong))
		}
		m.dialogs.Push(ask)
	}
}

func (m *Model) giveKey(msg keyTypedMsg) tea.Cmd {
	ctx, give := m.ctx, m.o.Models.GiveKey
	return func() tea.Msg {
		said, err := give(ctx, msg.id, msg.key)
		return keyGivenMsg{msg.id, said, err}
	}
}

// keyGiven goes on to the models of the source, which can be asked now.
func (m *Model) keyGiven(msg keyGivenMsg) tea.Cmd {
	if msg.err != nil {
		return m.askForKey(msg.id, msg.err.Error())
	}
	cmd := m.openModels()
	if m.modelList != nil {
		m.modelList.picker.Write(msg.id + " ")
	}
	return tea.Batch(cmd, m.pass(msg.said, 3*quitWindow))
}
