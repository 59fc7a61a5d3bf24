package ask

import (
	"chatvault/agent/event"
	"chatvault/internal/picture"
	"chatvault/tools"
)

// jsonRequested is a request of a turn: what it asks for, and of a change all that will happen.
type jsonRequested struct {
	jsonHead
	ID          string            `json:"id"`
	Kind        event.RequestKind `json:"kind"`
	Tool        string            `json:"tool,omitempty"`
	Change      tools.ChangeKind  `json:"change,omitempty"`
	Path        string            `json:"path,omitempty"`
	NewPath     string            `json:"new_path,omitempty"`
	Diff        string            `json:"diff,omitempty"`
	Hunks       []jsonHunk        `json:"hunks,omitempty"`
	Detail      string            `json:"detail,omitempty"`
	Links       int               `json:"links,omitempty"`
	Rewrites    []jsonRewrite     `json:"rewrites,omitempty"`
	Destructive bool              `json:"destructive,omitempty"`
	Unread      bool              `json:"unread,omitempty"`
	Name        string            `json:"name,omitempty"`
	Text        string            `json:"text"`
}

// jsonHunk is a part of a change that can be taken by itself: what it replaces, and by what; or,
// of the whole text, in words.
type jsonHunk struct {
	Line  int    `json:"line,omitempty"`
	Under string `json:"under,omitempty"`
	Old   string `json:"old,omitempty"`
	New   string `json:"new,omitempty"`
	Whole string `json:"whole,omitempty"`
}

// jsonRewrite is a note whose links a change puts right.
type jsonRewrite struct {
	Path  string `json:"path"`
	Links int    `json:"links"`
	Diff  string `json:"diff"`
}

func requestedLine(head jsonHead, r event.Request) jsonRequested {
	c := r.Change
	line := jsonRequested{
		jsonHead: head, ID: r.ID, Kind: r.Kind, Tool: c.Tool, Change: c.Kind, Path: c.Path, NewPath: c.NewPath,
		Diff: c.Diff, Detail: c.Detail, Destructive: c.Destructive, Unread: c.Unread, Name: r.Name, Text: r.Text,
	}
	if c.Pick {
		for _, h := range c.Prose.Hunks {
			line.Hunks = append(line.Hunks, jsonHunk{h.Line, h.Under, h.Old, h.New, h.Whole})
		}
	}
	for _, w := range c.Rewrites {
		line.Links += w.Links
		line.Rewrites = append(line.Rewrites, jsonRewrite(w))
	}
	return line
}

// jsonRequestEnded is how a request ended, and which hunks were taken where not all were; what was
// typed is not in it.
type jsonRequestEnded struct {
	jsonHead
	ID       string         `json:"id"`
	Decision event.Decision `json:"decision"`
	Hunks    []int          `json:"hunks,omitempty"`
}

// attachedLine says which pictures and documents go with a message.
func attachedLine(head jsonHead, e event.Attached) any {
	type file struct {
		Path string `json:"path"`
		picture.Info
	}
	files := make([]file, len(e.Media))
	for i, a := range e.Media {
		files[i] = file{a.Path, *a.Media}
	}
	return struct {
		jsonHead
		MessageID string `json:"message_id"`
		Files     []file `json:"files"`
	}{head, e.MessageID, files}
}
