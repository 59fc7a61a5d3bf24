package tools

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const longNote = "# Plan\n\nThe fence is red.\n\nThe gate is green.\n\n- buy paint\n- buy nails\n"

// TestPieces accepts parts of an edit and of an overwrite, and checks what the model is told.
func TestPieces(t *testing.T) {
	const args = `{"path":"Plan.md","content":"# Plan\n\nThe fence is blue.\n\nThe gate is white.\n\n- buy paint\n- buy many nails\n"}`
	for _, c := range []struct {
		name, tool, args string
		before           string
		take             []int
		want             string // of the file
		told             []string
	}{
		{
			"a part of what is written over", "write_file", args, longNote,
			[]int{1},
			"# Plan\n\nThe fence is red.\n\nThe gate is white.\n\n- buy paint\n- buy nails\n",
			[]string{
				`The user accepted 1 of the 3 parts of this change. "Plan.md" now has these (71 bytes), and none of the others.`,
				"\n-The gate is green.\n+The gate is white.\n",
				"The user rejected these parts. Do not try to make them another way",
				"\n-The fence is red.\n+The fence is blue.\n", "\n-- buy nails\n+- buy many nails",
			},
		},
		{
			"line ends and the byte order mark stay", "write_file", args, "\ufeff" + strings.ReplaceAll(longNote, "\n", "\r\n"),
			[]int{0, 2},
			"\ufeff# Plan\r\n\r\nThe fence is blue.\r\n\r\nThe gate is green.\r\n\r\n- buy paint\r\n- buy many nails\r\n",
			[]string{"2 of the 3 parts"},
		},
		{
			"two of an edit in many places", "edit_file", `{"path":"Plan.md","old_text":"The ","new_text":"Our ","replace_all":true}`, longNote,
			[]int{0},
			"# Plan\n\nOur fence is red.\n\nThe gate is green.\n\n- buy paint\n- buy nails\n",
			[]string{"1 of the 2 parts", "\n-The gate is green.\n+Our gate is green.\n"},
		},
	} {
		j := judge{take: func(p Proposal) []int {
			if !p.Pick {
				t.Errorf("%s: it is not to be taken in parts: %+v", c.name, p)
			}
			return c.take
		}}
		v, dir := newVault(t, map[string]string{"Plan.md": c.before})
		turn := NewRegistry(v, Options{}).Turn(&j)
		r := turn.Call(t.Context(), c.tool, []byte(c.args))
		if got := textOf(t, dir, "Plan.md"); got != c.want || r.IsError {
			t.Errorf("%s: %q\n%s", c.name, got, r.Text)
		}
		for _, want := range c.told {
			if !strings.Contains(r.Text, want) {
				t.Errorf("%s: %q is missing in\n%s", c.name, want, r.Text)
			}
		}
		if !strings.HasSuffix(r.Summary, " parts") || len(turn.Changes()) != 1 {
			t.Errorf("%s: %q, %q", c.name, r.Summary, turn.Changes())
		}
		// The turn knows the file's new content and can continue.
		j.take = nil
		if r := turn.Call(t.Context(), "edit_file", []byte(`{"path":"Plan.md","old_text":"# Plan","new_text":"# Plans"}`)); r.IsError {
			t.Errorf("%s: the next edit: %s", c.name, r.Text)
		}
	}
}

func textOf(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPiecesOfAll checks for any two texts and any parts that the file has exactly those parts. All parts give the
// new text, none denies the change.
func TestPiecesOfAll(t *testing.T) {
	v, dir := newVault(t, map[string]string{"a.md": ""})
	name := filepath.Join(dir, "a.md")
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(label string) string {
			return rapid.StringMatching(`(---\n)?(([a-c]{1,3} ){0,3}[a-c]\r?\n|\n|- [ab]\n){1,12}[ab]?`).Draw(rt, label)
		}
		before, after := draw("before"), draw("after")
		if err := os.WriteFile(name, []byte(before), 0o644); err != nil {
			rt.Fatal(err)
		}
		var want string
		var taken, all int
		j := judge{take: func(p Proposal) []int {
			if !p.Pick {
				return nil
			}
			some := []int{}
			for i := range p.Prose.Hunks {
				if rapid.Bool().Draw(rt, "take") {
					some = append(some, i)
				}
			}
			want, taken, all = p.Prose.Apply(some), len(some), len(p.Prose.Hunks)
			return some
		}}
		r := runWriteFile(t.Context(), NewRegistry(v, Options{}).Turn(&j), writeFileArgs{Path: "a.md", Content: after})
		data, err := os.ReadFile(name)
		switch got := string(data); {
		case err != nil:
			rt.Fatal(err)
		case all == 0 && got != after, taken == all && all > 0 && got != after, taken == 0 && all > 0 && (got != before || r.Summary != "denied"):
			rt.Fatalf("%d of %d: %q, %s", taken, all, got, r.Text)
		case 0 < taken && taken < all && got != want: // all parts also change the line endings
			rt.Fatalf("%d of %d: %q, want %q", taken, all, got, want)
		}
	})
}

// TestNoPieces checks changes with a single part, changes that cannot be split, and invalid part numbers.
func TestNoPieces(t *testing.T) {
	whole := func(p Proposal) []int {
		if p.Pick {
			t.Errorf("%+v is to be taken in parts", p)
		}
		return []int{0}
	}
	for _, args := range []string{`{"path":"new.md","content":"a\n\nb\n"}`, `{"path":"Plan.md","content":"# Plan\n\nnothing\n"}`} {
		j := judge{take: whole}
		v, dir := newVault(t, map[string]string{"Plan.md": "# Plan\n\nall of it\n"})
		before := snapshot(t, dir)
		r := NewRegistry(v, Options{}).Turn(&j).Call(t.Context(), "write_file", []byte(args))
		if !r.IsError || snapshot(t, dir) != before {
			t.Errorf("%s: %s", args, r.Text)
		}
	}
	j := judge{take: func(Proposal) []int { return []int{7, -1} }}
	v, dir := newVault(t, map[string]string{"Plan.md": longNote})
	before := snapshot(t, dir)
	r := NewRegistry(v, Options{}).Turn(&j).Call(t.Context(), "edit_file", []byte(`{"path":"Plan.md","old_text":"The","new_text":"Our","replace_all":true}`))
	if r.Summary != "denied" || snapshot(t, dir) != before {
		t.Errorf("parts that are not there: %s", r.Text)
	}
}

// TestPiecesHoldWhatWasShown checks that a part is only written if the file is unchanged.
func TestPiecesHoldWhatWasShown(t *testing.T) {
	j := judge{take: func(Proposal) []int { return []int{0} }}
	v, dir := newVault(t, map[string]string{"Plan.md": longNote})
	j.decide = func(Proposal) error {
		return os.WriteFile(filepath.Join(dir, "Plan.md"), []byte(longNote+"mine\n"), 0o644)
	}
	r := NewRegistry(v, Options{}).Turn(&j).Call(t.Context(), "edit_file", []byte(`{"path":"Plan.md","old_text":"The","new_text":"Our","replace_all":true}`))
	if got := textOf(t, dir, "Plan.md"); !r.IsError || got != longNote+"mine\n" {
		t.Errorf("%q, %s", got, r.Text)
	}
}

// TestUnread checks that a note counts as read once its text was shown or written, even under another name.
func TestUnread(t *testing.T) {
	var j judge
	v, _ := newVault(t, map[string]string{"a.md": "one\n", "b.md": "two\nmore\n", "c.md": "three\n", "d.md": "four\n"})
	turn := NewRegistry(v, Options{}).Turn(&j)
	for _, c := range []struct{ tool, args string }{
		{"read_file", `{"path":"a.md"}`},
		{"write_file", `{"path":"A.md","content":"1\n"}`}, // read
		{"edit_file", `{"path":"b.md","old_text":"two","new_text":"2"}`},
		{"write_file", `{"path":"b.md","content":"x\n"}`}, // edited unseen
		{"write_file", `{"path":"b.md","content":"y\n"}`}, // written by the turn
		{"move_file", `{"source":"b.md","destination":"F/b.md"}`},
		{"write_file", `{"path":"F/b.md","content":"z\n"}`},
		{"read_file", `{"path":"c.md"}`},
		{"delete_file", `{"path":"c.md"}`},
		{"move_file", `{"source":"d.md","destination":"c.md"}`},
		{"write_file", `{"path":"c.md","content":"d\n"}`}, // another note of that name
	} {
		if r := turn.Call(t.Context(), c.tool, []byte(c.args)); r.IsError {
			t.Fatalf("%s %s: %s", c.tool, c.args, r.Text)
		}
	}
	var unread []bool
	for _, p := range j.asked {
		if p.Kind == ChangeOverwrite {
			unread = append(unread, p.Unread)
		}
	}
	if want := []bool{false, true, false, false, true}; !slices.Equal(unread, want) {
		t.Errorf("unread: %v, want %v", unread, want)
	}
}
