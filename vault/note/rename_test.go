package note

import (
	"strings"
	"testing"
)

func TestRenameTag(t *testing.T) {
	tests := []struct{ from, to, text, want string }{
		{"a", "b", "#a #A/x #ab a #x/a", "#b #b/x #ab a #x/a"},
		{"a", "a/b", "#a and #a/c\r\n", "#a/b and #a/b/c\r\n"},
		{"a/b", "c", "#a #a/b #a/b/d", "#a #c #c/d"},
		{"a", "A", "#a #A", "#A #A"},
		{"a", "b", "`#a` [x](y#a) [[n#a]] <!-- #a --> $#a$ #a", "`#a` [x](y#a) [[n#a]] <!-- #a --> $#a$ #b"},
		{"a", "b", "```\n#a\n```\n> quote #a\n- [ ] task #a\n# Head #a\n", "```\n#a\n```\n> quote #b\n- [ ] task #b\n# Head #b\n"},
		{"a", "b", "---\ntags: [x, a, \"#a/y\"] # a\naliases: [a]\n---\n", "---\ntags: [x, b, \"#b/y\"] # a\naliases: [a]\n---\n"},
		{"a", "b", "---\ntags:\n- a # why\n- 'A/y'\n- \"a b\"\n---\n#a\n", "---\ntags:\n- b # why\n- 'b/y'\n- \"a b\"\n---\n#b\n"},
		{"a", "b", "---\ntags:\n  - a\n  - c\n  - b\n---\n", "---\ntags:\n  - b\n  - c\n---\n"},
		{"a", "b", "---\nTag: a, c\ntags: c a\n---\n", "---\nTag: b, c\ntags: c b\n---\n"},
		{"a", "b", "\ufeff---\r\ntags: a\r\n---\r\n#a\r\n", "\ufeff---\r\ntags: b\r\n---\r\n#b\r\n"},
		{"été", "été/2", "#été/x #ete", "#été/2/x #ete"},
		{"caf\u00e9", "b", "---\ntags: [cafe\u0301/x]\n---\n#cafe\u0301 #CAFE\u0301/y\n", "---\ntags: [b/x]\n---\n#b #b/y\n"},
		{"cafe\u0301", "b", "#caf\u00e9 #caf\u00e9s", "#b #caf\u00e9s"},
		{"x", "y", "no such tag", "no such tag"},
	}
	for _, test := range tests {
		got, n, err := InFront.RenameTag([]byte(test.text), test.from, test.to)
		if err != nil || string(got) != test.want || n > 0 != (test.text != test.want) {
			t.Errorf("%s to %s in %q: %q, %d, %v; want %q", test.from, test.to, test.text, got, n, err, test.want)
		}
	}
	if _, _, err := InFront.RenameTag([]byte("---\ntags: [a\n---\n#a\n"), "a", "b"); err == nil || !strings.Contains(err.Error(), "line") {
		t.Errorf("front matter that cannot be read: %v", err)
	}
}
