package composer

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"chatvault/internal/base/cells"
	"chatvault/tui/composer/vi"
	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

// viKey types a key as the chat does.
func viKey(m *Model, k string) {
	msg := keyMsg(k)
	if k == "esc" {
		m.Escape()
		return
	}
	if m.Commanding() {
		if _, handled := m.Command(msg); handled {
			return
		}
	}
	m.Key(msg)
}

// After any keys the text is valid, the cursor is at a whole character and in sight, and no paste and no emoji is cut.
func TestAnyViKeysKeepTheTextValid(t *testing.T) {
	all := strings.Fields("esc esc esc i a A I o O v V gv x X D C s S Y y d c p P u . ~ J r f t ; , w W b B e E ge gg G g ( ) { } 0 $ ^ % j k h l 1 2 9 " +
		"/ n N * # \" + > < gu gU g~ ip iw aw i\" a( as is enter backspace left right up down home end delete ctrl+w ctrl+r alt+b ctrl+x ctrl+j")
	all = append(all, "a", "word two. ", "é", "日本語", "👩‍👩‍👧‍👦", "👍🏽", "e\u0301", "(x \"y\")", "space")
	rapid.Check(t, func(t *rapid.T) {
		cells.SetClusters(rapid.Bool().Draw(t, "terminal draws clusters"))
		defer cells.SetClusters(false)
		m := newTest()
		m.SetVi(true)
		m.SetHistory([]string{"an earlier text"})
		for _, k := range rapid.SliceOfN(rapid.SampledFrom(all), 0, 60).Draw(t, "keys") {
			if k == "ctrl+w" && rapid.Bool().Draw(t, "pastes") {
				m.Paste(strings.Repeat("pasted\n", 20))
			}
			viKey(m, k)
			e := &m.editor
			if e.line < 0 || e.line >= len(e.lines) || e.col < 0 || e.col > len(e.current()) || !utf8.ValidString(m.Value()) {
				t.Fatalf("after %q: line %d col %d of %q", k, e.line, e.col, e.lines)
			}
			if line := e.current(); uniseg.GraphemeClusterCount(line[:e.col])+uniseg.GraphemeClusterCount(line[e.col:]) != uniseg.GraphemeClusterCount(line) {
				t.Fatalf("after %q the cursor is inside a character: %d of %q", k, e.col, line)
			}
			if m.Mode() == vi.Normal && m.Pending() == "" && e.col == len(e.current()) && e.col > 0 {
				t.Fatalf("after %q the cursor is behind the line", k)
			}
			for _, r := range m.Value() {
				if r >= firstPaste && r < firstPaste+maxPastes {
					t.Fatalf("after %q: a paste is lost: %q", k, m.Value())
				}
			}
			if drawn := strings.Join(m.Lines(), "\n"); strings.Count(drawn, theme.Cursor) != 1 {
				t.Fatalf("after %q: %d cursors", k, strings.Count(drawn, theme.Cursor))
			}
		}
	})
}

// A command on a text of 30,000 lines is quick, and counts cannot exceed the memory.
func TestViInALongText(t *testing.T) {
	m := newTest()
	m.SetVi(true)
	m.Key(keys.Paste(strings.Repeat("a pasted line\n", 30000)))
	viKey(m, "esc")
	for _, typed := range []string{"ggyG", "9999p", "u", "ggVGJ", "u", "Gdd", "gg99999j", "d}", "ggdG", "p", "9999p", "uuu", "/line"} {
		began := time.Now()
		for _, k := range typed {
			viKey(m, string(k))
		}
		m.Lines()
		if d := time.Since(began); d > 2*time.Second { // with a margin for a loaded machine
			t.Errorf("%s takes %v", typed, d)
		}
		if n := len(m.Value()); n > maxInput {
			t.Errorf("%s: %d bytes", typed, n)
		}
	}
}

// gj and gk move by drawn rows, in the column where they began, as the arrows do.
func TestViRows(t *testing.T) {
	m := newTest()
	m.SetVi(true)
	row := strings.Repeat("x", m.textWidth()-2)
	m.SetValue(row + " " + row + " " + row + "\nab\n" + row)
	viKey(m, "esc")
	var at []int
	for _, keys := range []string{"gg5l", "gj", "gj", "gj", "gj", "gk", "gk", "gk", "vgj", "v"} {
		for _, k := range keys {
			viKey(m, string(k))
		}
		at = append(at, m.editor.line, m.editor.col)
	}
	n := len(row) + 1
	if want := []int{0, 5, 0, n + 5, 0, 2*n + 5, 1, 1, 2, 5, 1, 1, 0, 2*n + 5, 0, n + 5, 0, 2*n + 5, 0, 2*n + 5}; !slices.Equal(at, want) {
		t.Errorf("%v, want %v", at, want)
	}
	for _, k := range []string{"g", "g", "5", "l", "down", "down", "down", "down"} {
		viKey(m, k)
	}
	if m.editor.line != 2 || m.editor.col != 5 {
		t.Errorf("with the arrows: %d, %d", m.editor.line, m.editor.col)
	}
}
