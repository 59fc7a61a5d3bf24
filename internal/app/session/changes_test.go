package session

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/internal/app/session/home"
	"chatvault/internal/base/prosediff"
	"chatvault/vault"
	"chatvault/vault/journal"
)

func TestBackLines(t *testing.T) {
	turn := journal.Turn{
		Origin: journal.Origin{Turn: "t1", Source: "chat", Title: "sort"},
		Changes: []journal.Change{
			{Op: "create", Path: "New.md"},
			{Op: "overwrite", Path: "Home.md"},
			{Op: "move", Path: "a.md", NewPath: "b.md", Files: []journal.File{{Path: "a.md"}, {Path: "c.md", Links: 2}}},
			{Op: "move", Path: "d.md", NewPath: "e.md"},
			{Op: "delete", Path: "Old.md"},
			{Op: "mkdir", Path: "Folder"},
			{Op: "delete", Path: "Kept.md", State: journal.Failed},
			{Op: "delete", Path: "Back already.md", Undone: true},
		},
	}
	got := ChangedTurnOf(&turn)
	want := []string{
		"the folder Folder goes away, where it is empty", "Old.md comes back", "e.md moves back to d.md",
		"b.md moves back to a.md, and links to it with it", "Home.md is restored", "New.md goes away",
	}
	if !slices.Equal(got.Back, want) {
		t.Errorf("%q, want %q", got.Back, want)
	}
	if got.Source != "" || got.Title != "sort" || len(got.Changes) != 8 || !got.Cut || got.Undoes != "" {
		t.Errorf("%+v", got)
	}
	turn.Source = "undo"
	if got := ChangedTurnOf(&turn); got.Undoes != "undo" || got.Source != "" {
		t.Errorf("an undo: %+v", got)
	}
	turn.Source = "ask"
	if got := ChangedTurnOf(&turn); got.Source != "ask" {
		t.Errorf("one of ask: %+v", got)
	}
}

func TestLeftLine(t *testing.T) {
	for _, tt := range []struct{ why, want string }{
		{`"a.md" was changed since.`, `"a.md" was changed since.`},
		{"Its record is not valid.", "a.md — Its record is not valid."},
	} {
		if got := refusalLine(vault.Refusal{Path: "a.md", Why: tt.why}); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestUndoNotice(t *testing.T) {
	v, err := vault.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = v.Close() }()
	u := vault.Undone{Turn: journal.Turn{Origin: journal.Origin{Title: "sort\nthem"}}, Lines: []string{"removed New.md", "restored Home.md"}}
	if got, want := ToldOf(v, u, false), "The user undid what was changed for “sort them”: removed New.md; restored Home.md."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	u = vault.Undone{Lines: []string{"removed New.md"}, Refused: []vault.Refusal{{Path: "a.md"}, {Path: "b.md"}}}
	if got, want := ToldOf(v, u, true), "The user restored what was changed: removed New.md. Unchanged: a.md, b.md."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, source := range []string{"tool", SourceMCP} { // the agent does not know of the turn
		u.Turn.Source = source
		if got := ToldOf(v, u, false); got != "" {
			t.Errorf("%s: told %q", source, got)
		}
	}
}

// A turn is shown with the differences of its texts, or with the reason why a file has none: not text, too long, not
// kept.
func TestShownChanges(t *testing.T) {
	c, dir := cited(t, map[string]string{"a.md": "one\n", "b.md": "[[a]]\n", "long.md": strings.Repeat("x", maxShownBytes+1), "pic.png": "\x00\x01"})
	kept := home.KeepJournal(c.vault, func(text string) { t.Error(text) })
	a := &Changes{vault: c.vault, log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { _ = kept.Close() })
	ctx := vault.WithOrigin(context.Background(), vault.Origin{Turn: "t1", Source: "chat", Title: "all"})
	for name, text := range map[string]string{"a.md": "one and two\n", "long.md": "short", "pic.png": "\x00\x02"} {
		if _, err := a.vault.Do(ctx, vault.Request{Op: vault.OpWrite, Path: name, Data: []byte(text)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.vault.Do(ctx, vault.Request{Op: vault.OpDelete, Path: "b.md"}, nil); err != nil {
		t.Fatal(err)
	}
	shown, err := a.Show(context.Background(), "t1")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]ShownChange{}
	for _, s := range shown {
		got[s.What] = s
	}
	if d := got["edited a.md"].Prose; d == nil || len(d.Hunks) != 1 || d.Hunks[0].New != "one and two" && d.Hunks[0].New != "one and two\n" {
		t.Errorf("a.md: %+v", d)
	}
	if d := got["deleted b.md"].Prose; d == nil || d.Lines[0].Op != prosediff.Removed {
		t.Errorf("b.md: %+v", d)
	}
	if s := got["edited long.md"]; s.Prose != nil || s.Note != "It is too long to be shown." {
		t.Errorf("long.md: %+v", s)
	}
	if s := got["edited pic.png"]; s.Prose != nil || s.Note != "It is not text." {
		t.Errorf("pic.png: %+v", s)
	}
	_ = kept.Close()
	turns, err := filepath.Glob(filepath.Join(stateOf(t, dir), "journal", "*", "t1.jsonl"))
	if err != nil || len(turns) != 1 {
		t.Fatal(turns, err)
	}
	data, err := os.ReadFile(turns[0])
	if err == nil {
		err = os.WriteFile(turns[0], regexp.MustCompile(`(?m)^\{"type":"content".*\n`).ReplaceAll(data, nil), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	shown, err = a.Show(context.Background(), "t1")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shown {
		if s.What == "edited a.md" && (s.Prose != nil || !strings.Contains(s.Note, "no longer kept")) {
			t.Errorf("without what was kept: %+v", s)
		}
	}
	if _, err := a.Show(context.Background(), "t9"); err == nil {
		t.Error("a turn that is not there")
	}
}

func TestChangedTurnState(t *testing.T) {
	for want, turn := range map[string]ChangedTurn{
		"":                      {},
		"undone":                {Undone: true, Cut: true},
		"partly undone":         {Partly: true},
		"restored since":        {Undone: true, Undoes: "undo"},
		"partly restored since": {Partly: true, Undoes: "undo"},
		"running":               {Running: true},
		"cut off":               {Cut: true},
	} {
		if got := turn.State(); got != want {
			t.Errorf("%+v: %q, want %q", turn, got, want)
		}
		turn.Time, turn.Title, turn.Changes = time.Now(), "sort\nthe inbox", []string{"moved a.md", "moved b.md"}
		said := "sort ("
		if want != "" {
			said += want + ", "
		}
		it := changeItem(nil, turn)
		if line := it.Line(); !strings.HasPrefix(line, said) && turn.Undoes == "" || !strings.HasSuffix(line, "): moved a.md; moved b.md") {
			t.Errorf("%q: %s", want, line)
		}
	}
}
