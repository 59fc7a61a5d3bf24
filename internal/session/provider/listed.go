package provider

import (
	"fmt"
	"strings"

	"chatvault/agent/llm/endpoint"
)

// Contains says whether a list has a model of this name.
func Contains(list []endpoint.Model, s string) bool {
	_, ok := Listed(list, s)
	return ok
}

// Listed finds a model by its name.
func Listed(list []endpoint.Model, name string) (endpoint.Model, bool) {
	for _, m := range list {
		if m.ID == name || strings.TrimPrefix(m.ID, "models/") == name {
			return m, true
		}
	}
	return endpoint.Model{}, false
}

// Some names the first n models of a list, and how many more there are.
func Some(list []endpoint.Model, n int) string {
	var ids []string
	for _, m := range list[:min(n, len(list))] {
		ids = append(ids, m.ID)
	}
	text := strings.Join(ids, ", ")
	if more := len(list) - len(ids); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
