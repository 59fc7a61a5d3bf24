package obsidian

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// ActiveNote is the note that is open in Obsidian according to its workspace file.
type ActiveNote struct {
	Path  string // true name
	Why   ActiveReason
	Saved time.Time // when Obsidian wrote its workspace file
}

// ActiveReason is the reason why a note counts as the active one, most reliable first.
type ActiveReason int

// The reasons for a note to be the active one.
const (
	ActiveTab  ActiveReason = iota // it has the focus
	ActiveMain                     // it is in front in the main area; the focus is not on a file
	ActiveLast                     // neither exists: it was opened last
)

// workspaceItem is a split, a group of tabs, or a leaf, which shows a file or another view.
type workspaceItem struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Children   []workspaceItem `json:"children"`
	CurrentTab int             `json:"currentTab"` // of tabs
	State      json.RawMessage `json:"state"`      // of a leaf
}

type workspace struct {
	Main          workspaceItem `json:"main"`
	Floating      workspaceItem `json:"floating"`
	Active        string        `json:"active"` // ID of a leaf
	LastOpenFiles []string      `json:"lastOpenFiles"`
}

// file returns the path of the file that a leaf shows, or "" if it shows none. The state of a leaf is up to its
// plugin.
func (w *workspaceItem) file() string {
	var state struct {
		State struct {
			File string `json:"file"`
		} `json:"state"`
	}
	_ = json.Unmarshal(w.State, &state) // any other shape is not a file
	return state.State.File
}

// leaves calls visit with every leaf below; front reports whether it is at the front of its tab groups.
func (w *workspaceItem) leaves(front bool, visit func(leaf *workspaceItem, front bool)) {
	if w.Type == "leaf" {
		visit(w, front)
	}
	for i := range w.Children {
		w.Children[i].leaves(front && (w.Type != "tabs" || i == w.CurrentTab), visit)
	}
}

// ActiveNote returns the note that is open in Obsidian: the one with the focus, else the front one in the main area,
// else the last opened one that still exists. The error is KindNotFound if there is none, and KindDenied if the note
// is private.
func (v App) ActiveNote(ctx context.Context) (ActiveNote, error) {
	data, saved, err := v.of.Own(".obsidian", "workspace.json")
	var w workspace
	if err == nil {
		var shape *json.UnmarshalTypeError
		if err = json.Unmarshal(data, &w); errors.As(err, &shape) {
			err = nil // a part has another shape; the rest was read
		}
	}
	if err != nil {
		return ActiveNote{}, vaulterr.New(vaulterr.KindNotFound, "", "It is not known which note is open: this vault has no Obsidian workspace that can be read. Ask the user which note they mean.")
	}
	a := ActiveNote{Saved: saved}
	candidates := w.frontFiles()
	for _, file := range w.LastOpenFiles {
		candidates = append(candidates, shownFile{file, ActiveLast})
	}
	for _, t := range candidates {
		name, err := v.openInObsidian(ctx, t.file)
		if err == nil {
			a.Path, a.Why = name, t.why
			break
		}
		if errors.Is(err, vaulterr.KindDenied) && t.why != ActiveLast {
			return ActiveNote{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return ActiveNote{}, err
	}
	if a.Path == "" {
		return ActiveNote{}, vaulterr.New(vaulterr.KindNotFound, "", "No note is open in Obsidian, and those opened last no longer exist. Ask the user which note they mean.")
	}
	return a, nil
}

// shownFile is a file of the workspace, with the reason why it may be the active one.
type shownFile struct {
	file string
	why  ActiveReason
}

// frontFiles returns the files in front, the most likely active one first. A side bar shows what belongs to that.
func (w *workspace) frontFiles() (all []shownFile) {
	for _, area := range []*workspaceItem{&w.Main, &w.Floating} {
		area.leaves(true, func(l *workspaceItem, front bool) {
			switch file := l.file(); {
			case file == "":
			case l.ID == w.Active && w.Active != "":
				all = append(all, shownFile{file, ActiveTab})
			case front && area == &w.Main:
				all = append(all, shownFile{file, ActiveMain})
			}
		})
	}
	slices.SortStableFunc(all, func(a, b shownFile) int { return int(a.why - b.why) })
	return all
}

// openInObsidian returns the true name of a file in the workspace if it exists.
func (v App) openInObsidian(ctx context.Context, file string) (string, error) {
	clean, err := pathname.Clean(file)
	if err != nil {
		return "", vaulterr.KindNotFound // not a path of this vault
	}
	if v.of.Private(clean) {
		// The name comes from the workspace file, which tools cannot read.
		return "", vaulterr.New(vaulterr.KindDenied, file, "Access denied: the note that is open in Obsidian is private; the user hides it from you. Continue without it.")
	}
	name, err := v.of.File(ctx, clean)
	if err != nil {
		return "", vaulterr.KindNotFound
	}
	return name, nil
}
