package link

import "testing"

// TestFolderLinkKeepsTarget: a link to a folder still leads there when a note gets the folder's name.
func TestFolderLinkKeepsTarget(t *testing.T) {
	for _, tt := range []struct {
		from, to     string
		plain        bool
		before, want string
	}{
		{"a/b.md", "a/a.md", false, "[t](A)", "[t](a/)"},
		{"a/c.md", "a.md", true, "[t](a)", "[t](a/)"},
		{"a/c.md", "a.md", true, `<a href="a">t</a>`, `<a href="a/">t</a>`},
	} {
		names := NewNames([]string{"a/b.md", "a/c.md", "b.md"})
		names.Plain = tt.plain
		r := NewRenaming(names, map[string]string{tt.from: tt.to}, "")
		if out := r.Rewrite("b.md", []byte(tt.before)); string(out.Text) != tt.want || len(out.Lost) > 0 {
			t.Errorf("%s after %s became %s: %q, want %q; lost: %v", tt.before, tt.from, tt.to, out.Text, tt.want, out.Lost)
		}
	}
}
