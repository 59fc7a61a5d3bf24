package cli

import (
	"chatvault/agent"
	"chatvault/tools"
)

// jsonRequested is a request of a turn: what it asks for, and of a change all that will happen.
type jsonRequested struct {
	jsonHead
	ID          string            `json:"id"`
	Kind        agent.RequestKind `json:"kind"`
	Tool        string            `json:"tool,omitempty"`
	Change      tools.ChangeKind  `json:"change,omitempty"`
	Path        string            `json:"path,omitempty"`
	NewPath     string            `json:"new_path,omitempty"`
	Diff        string            `json:"diff,omitempty"`
	Detail      string            `json:"detail,omitempty"`
	Destructive bool              `json:"destructive,omitempty"`
	Name        string            `json:"name,omitempty"`
	Text        string            `json:"text"`
}

func requestedLine(head jsonHead, r agent.Request) jsonRequested {
	c := r.Change
	return jsonRequested{head, r.ID, r.Kind, c.Tool, c.Kind, c.Path, c.NewPath, c.Diff, c.Detail, c.Destructive, r.Name, r.Text}
}

// jsonRequestEnded is how a request ended; what was typed is not in it.
type jsonRequestEnded struct {
	jsonHead
	ID       string         `json:"id"`
	Decision agent.Decision `json:"decision"`
}
