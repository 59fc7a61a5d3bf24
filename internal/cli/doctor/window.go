package doctor

import (
	"context"
	"fmt"
	"net/url"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/config"
	"chatvault/internal/loopback"
	"chatvault/internal/session/provider"
	"chatvault/internal/text"
)

// roomyWindow is the window in tokens below which doctor says that it is small: what the model is told
// before anything is said takes some 4,000.
const roomyWindow = 8192

// localServer is the finding of a server that was found on this computer.
func localServer(ctx context.Context, cfg *config.Config, p llm.Provider, file string) finding {
	found := finding{area: "provider", text: p.Name() + " (a local server that answers)", bare: "a local server answers"}
	asked, ok := p.(serverAsker)
	if !ok {
		return found
	}
	return withWindow(cfg, found, p.Name(), asked.ServerWindow(ctx, asked.Model()), file)
}

// serverAsker can ask a server how much a model takes.
type serverAsker interface {
	Model() string
	BaseURL() string
	ServerWindow(ctx context.Context, model string) endpoint.ServerWindow
}

// serverWindow is what a server that was reached says of the window of a model, empty: of the first it
// lists: where it can be asked, or, of one on this computer, in its list.
func serverWindow(ctx context.Context, p serverAsker, models []endpoint.Model, model string) endpoint.ServerWindow {
	if model == "" {
		model, _ = endpoint.PickModel(models)
	}
	w := p.ServerWindow(ctx, model)
	u, err := url.Parse(p.BaseURL())
	if m, ok := provider.Listed(models, model); ok && err == nil && loopback.Host(u.Hostname()) && w == (endpoint.ServerWindow{}) {
		w.Runs = m.Window // vLLM's max_model_len
	}
	return w
}

// withWindow adds to the finding of a server what it says of its model's window, and what to do where
// that is small, or less than is sent.
func withWindow(cfg *config.Config, found finding, server string, w endpoint.ServerWindow, file string) finding {
	said := cfg.ContextWindow.V
	switch {
	case w.Runs > 0:
		found.text += fmt.Sprintf("; its window is %s tokens", text.Thousands(w.Runs))
		if w.Most > w.Runs {
			found.text += fmt.Sprintf(" of the %s that the model can take", text.Thousands(w.Most))
		}
	case w.Most > 0:
		found.text += fmt.Sprintf("; the model can take %s tokens, and the server says only as it runs how many it gives it", text.Thousands(w.Most))
	}
	if said > 0 && w != (endpoint.ServerWindow{}) {
		found.text += fmt.Sprintf("; context_window says %s", text.Thousands(said))
	}
	switch {
	case w.Runs > 0 && said > w.Runs:
		found.warn = true
		found.why = "More is sent than the server has room for, and it may silently drop some."
		found.todo = fmt.Sprintf("set context_window to at most %d in %s, or %s", w.Runs, file, llm.Widen(server))
	case w.Runs > 0 && w.Runs < roomyWindow:
		found.warn = true
		found.why = "That leaves little room for your notes beside what the model is told, and a server may silently drop what does not fit."
		found.todo = llm.Widen(server)
	}
	return found
}
