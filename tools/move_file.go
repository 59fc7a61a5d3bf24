package tools

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
)

type moveFileArgs struct {
	Source      string `json:"source" note:"strict" nonempty:"true"`
	Destination string `json:"destination,omitempty" jsonschema:"the full new path, including the name"`
	NewName     string `json:"new_name,omitempty" jsonschema:"instead: another name in the same folder"`
	Folder      string `json:"folder,omitempty" jsonschema:"instead: another folder"`
}

var _ = define(definition{
	name:   "move_file",
	traits: Traits{Verb: "moving", Did: "moved", Kind: CallMoves},
	short: []Form{
		{
			Name: "rename_file", About: "give a note another name", Params: []Param{{"source", OfNotes}, {"new_name", OfNewNames}}, For: []Wish{WishRename},
			as: func(a map[string]string, _ string) map[string]any {
				return map[string]any{"source": a["source"], "new_name": a["new_name"][strings.LastIndexByte(a["new_name"], '/')+1:]}
			},
		},
		{About: "move a note to a folder", Params: []Param{{"source", OfNotes}, {"folder", OfPlaces}}, For: []Wish{WishMove}},
	},
	example: `{"source": "Notes/a.md", "destination": "Archive/a.md"}`,
}, runMoveFile, targetMoveFile)

func targetMoveFile(a moveFileArgs) string {
	to := cmp.Or(a.Destination, path.Join(a.Folder, a.NewName))
	if a.Source == "" || to == "" {
		return a.Source + to
	}
	return a.Source + " → " + to
}

// destination returns the full new path of a move.
func (a moveFileArgs) destination(from vault.Info) (string, error) {
	name, folder := strings.TrimSpace(a.NewName), strings.Trim(strings.TrimSpace(a.Folder), "/")
	switch {
	case a.Destination != "" && name+folder != "":
		return "", wording.Sentence("destination is the full new path: leave out new_name and folder with it.")
	case a.Destination != "":
		return a.Destination, nil
	case name+folder == "":
		return "", wording.Sentence("Say where to: destination, new_name or folder.")
	case strings.Contains(name, "/"):
		return "", wording.Sentence("new_name is a name without a folder: give the folder in folder.")
	case name == "":
		name = path.Base(from.Path)
	case !from.Folder && !strings.EqualFold(path.Ext(name), path.Ext(from.Path)):
		name += path.Ext(from.Path)
	}
	if folder == "" {
		folder = path.Dir(from.Path)
	}
	return path.Join(folder, name), nil
}

func runMoveFile(ctx context.Context, t *Turn, a moveFileArgs) Result {
	if a.Destination == "" {
		info, err := t.notes.Stat(ctx, a.Source)
		if err != nil {
			return failed("move_file", err)
		}
		a.Source = info.Path
		if a.Destination, err = a.destination(info); err != nil {
			return failf("invalid arguments", "%s", err)
		}
	} else if _, err := a.destination(vault.Info{}); err != nil {
		return failf("invalid arguments", "%s", err)
	}
	if t.namesMissingFolder(ctx, a.Destination) {
		// A folder's new name may end with a slash; a file's may not.
		if info, err := t.notes.Stat(ctx, a.Source); err == nil && !info.Folder {
			return failf("names a folder", "%s ends in \"/\", so it names a folder, which does not exist; nothing was moved. "+
				"Give the full new path, with the name.", wording.Quote(a.Destination))
		}
	}
	said := ""
	if !t.vault.Obsidian.AlwaysUpdatesLinks() {
		said = ", although Obsidian is set to ask before it updates links (alwaysUpdateLinks is off)"
	}
	c, err := t.makeChange(ctx, vault.Request{Op: vault.OpMove, Path: a.Source, NewPath: a.Destination}, nil)
	if err != nil {
		return failed("move_file", err)
	}
	updated := linkCount(c)
	t.known.Made("moved", c, updated)
	return textf(text.Join(", ", "moved", updated), "Moved %s to %s.", wording.Quote(c.Path), wording.Quote(c.NewPath)).withLinks(c, said)
}

// linksText describes in a sentence what a change did to links, or returns "". said ends the sentence.
func linksText(c vault.Change, said string) string {
	if linkCount(c) == "" {
		return ""
	}
	return " Updated " + linkCount(c) + said + "."
}

// linkCount describes how many links a change updates, or returns "".
func linkCount(c vault.Change) string {
	all := []LinkRewrite{{Links: c.Links}}
	for _, r := range c.Rewrites {
		all = append(all, LinkRewrite{Links: r.Links})
	}
	if !slices.ContainsFunc(all, func(r LinkRewrite) bool { return r.Links > 0 }) {
		return ""
	}
	p := Proposal{Path: c.Path, Rewrites: all}
	return p.Updates()
}

// linkRewrites returns the notes whose links a change updates, for approval.
func linkRewrites(rewrites []vault.Rewrite) []LinkRewrite {
	var out []LinkRewrite
	for _, r := range rewrites {
		out = append(out, LinkRewrite{Path: r.Path, Links: r.Links, Diff: textedit.TextDiff(r.Path, string(r.Before), string(r.After))})
	}
	return out
}
