package obsidian

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"chatvault/vault/failure"
	"chatvault/vault/pathname"
)

// ActiveNote is the note that is open in Obsidian, as far as its workspace file tells.
type ActiveNote struct {
	Path  string // true name
	Why   ActiveReason
	Saved time.Time // when Obsidian wrote its workspace down
	Also  []string  // further files that are open, in the order of their tabs; a few
}

// ActiveReason says what makes a note the active one, the surest first.
type ActiveReason int

// The reasons.
const (
	ActiveTab  ActiveReason = iota // it has the focus
	ActiveMain                     // it is in front in the main area; what has the focus is no file
	ActiveLast                     // nothing of that is there: it was opened last
)

// workspaceItem is a part of the workspace: a split, a group of tabs, or a leaf, which shows
// something.
type workspaceItem struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Children   []workspaceItem `json:"children"`
	CurrentTab int             `json:"currentTab"` // of tabs
	State      json.RawMessage `json:"state"`      // of a leaf
}

type workspace struct {
	Main          workspaceItem `json:"main"`
	Left          workspaceItem `json:"left"`
	Right         workspaceItem `json:"right"`
	Floating      workspaceItem `json:"floating"`
	Active        string        `json:"active"` // id of a leaf
	LastOpenFiles []string      `json:"lastOpenFiles"`
}

// file is what a leaf shows, "" where that is no file. Plugins keep there what they like.
func (w *workspaceItem) file() string {
	var state struct {
		State struct {
			File string `json:"file"`
		} `json:"state"`
	}
	_ = json.Unmarshal(w.State, &state) // what is of another shape is no file
	return state.State.File
}

// leaves calls visit with every leaf below, those in front of their tabs first, until it is
// false.
func (w *workspaceItem) leaves(visit func(leaf *workspaceItem, front bool) bool) bool {
	return w.eachLeaf(true, func(l *workspaceItem, front bool) bool { return !front || visit(l, true) }) &&
		w.eachLeaf(true, func(l *workspaceItem, front bool) bool { return front || visit(l, false) })
}

func (w *workspaceItem) eachLeaf(front bool, visit func(leaf *workspaceItem, front bool) bool) bool {
	if w.Type == "leaf" {
		return visit(w, front)
	}
	for i := range w.Children {
		inFront := front && (w.Type != "tabs" || i == w.CurrentTab)
		if !w.Children[i].eachLeaf(inFront, visit) {
			return false
		}
	}
	return true
}

// maxAlso bounds the further files ActiveNote names.
const maxAlso = 5

// ActiveNote says which note is open in Obsidian: the one with the focus, else the one in front
// in the main area, else the one that was opened last and is still there. It is KindNotFound
// where nothing tells, and KindDenied where the note is private.
func (v App) ActiveNote(ctx context.Context) (ActiveNote, error) {
	data, saved, err := v.of.Own(".obsidian", "workspace.json")
	var w workspace
	if err == nil {
		var shape *json.UnmarshalTypeError
		if err = json.Unmarshal(data, &w); errors.As(err, &shape) {
			err = nil // a part is of another shape; the rest was read
		}
	}
	if err != nil {
		return ActiveNote{}, failure.New(failure.KindNotFound, "", "It is not known which note is open: this vault has no Obsidian workspace that can be read. Ask the user which note they mean.")
	}
	a := ActiveNote{Saved: saved}
	tabs := w.openFiles()
	for _, t := range tabs {
		if t.why == ActiveLast { // a tab behind others is no candidate
			continue
		}
		switch name, err := v.openInObsidian(ctx, t.file); {
		case errors.Is(err, failure.KindDenied):
			return ActiveNote{}, err
		case err == nil && a.Path == "":
			a.Path, a.Why = name, t.why
		}
		if a.Path != "" {
			break
		}
	}
	for _, file := range w.LastOpenFiles {
		if a.Path != "" {
			break
		}
		if name, err := v.openInObsidian(ctx, file); err == nil {
			a.Path, a.Why = name, ActiveLast
		}
	}
	if err := ctx.Err(); err != nil {
		return ActiveNote{}, err
	}
	if a.Path == "" {
		return ActiveNote{}, failure.New(failure.KindNotFound, "", "No note is open in Obsidian, and those opened last no longer exist. Ask the user which note they mean.")
	}
	for _, t := range tabs {
		if len(a.Also) == maxAlso {
			break
		}
		if name, err := v.openInObsidian(ctx, t.file); err == nil && name != a.Path && !slices.Contains(a.Also, name) {
			a.Also = append(a.Also, name)
		}
	}
	return a, nil
}

// shownFile is a file that a tab shows, with what the tab would be the active one for; ActiveLast
// where it is behind others.
type shownFile struct {
	file string
	why  ActiveReason
}

// openFiles are the files that tabs show, the most likely active one first.
func (w *workspace) openFiles() []shownFile {
	var first, rest []shownFile
	for _, area := range []*workspaceItem{&w.Main, &w.Floating, &w.Left, &w.Right} {
		main := area == &w.Main
		area.leaves(func(l *workspaceItem, front bool) bool {
			switch file := l.file(); {
			case file == "":
			case l.ID == w.Active && w.Active != "":
				first = append(first, shownFile{file, ActiveTab})
			case main && front:
				rest = append(rest, shownFile{file, ActiveMain})
			case main || area == &w.Floating: // what a side bar shows goes with the active note
				rest = append(rest, shownFile{file, ActiveLast})
			}
			return true
		})
	}
	return append(first, rest...)
}

// openInObsidian is the true name of a file that Obsidian speaks of, if it is there.
func (v App) openInObsidian(ctx context.Context, file string) (string, error) {
	clean, err := pathname.Clean(file)
	if err != nil {
		return "", failure.KindNotFound // nothing of this vault
	}
	if v.of.Private(clean) {
		// Its name comes from the workspace, which only the program may read.
		return "", failure.New(failure.KindDenied, file, "Access denied: the note that is open in Obsidian is private; the user hides it from you. Continue without it.")
	}
	name, err := v.of.File(ctx, clean)
	if err != nil {
		return "", failure.KindNotFound
	}
	return name, nil
}
