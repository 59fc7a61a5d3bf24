package provider

import (
	"context"
	"fmt"
	"strings"

	"chatvault/agent/llm/endpoint"
)

// Unlisted says that a provider does not have the model that a name means, going by its list, and what
// it has; empty where the list has it or cannot be had.
func (m *Models) Unlisted(ctx context.Context, name string) string {
	name = strings.TrimSpace(name)
	if name == "" || name == asConfigured || name == offlineName || m.cfg.Offline.V {
		return ""
	}
	p, _, err := m.meant(name)
	if err != nil || p.endpoint == nil || p.endpoint.Model == "" {
		return ""
	}
	e := *p.endpoint
	bound := listBound(e)
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	lister, err := m.Lister(ctx, e)
	if err != nil {
		return ""
	}
	list, err := lister.ListModels(ctx)
	if err != nil || len(list) == 0 || Contains(list, e.Model) || Contains(list, e.Model+":latest") { // Ollama's default
		return ""
	}
	var chats []endpoint.Model
	for _, model := range list {
		if model.Chats() {
			chats = append(chats, model)
		}
	}
	has := ""
	if len(chats) > 0 {
		has = " It lists " + Some(chats, 5) + "."
	}
	return fmt.Sprintf("%s does not list the model %q, so a call to it will likely fail.%s", e.Name, e.Model, has)
}
