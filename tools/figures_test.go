package tools

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSizeText(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 156: "156 bytes", 1023: "1023 bytes", 1024: "1.0 KB", 2456: "2.4 KB", 1_048_524: "1023.9 KB",
		1_048_575: "1.0 MB", 1 << 20: "1.0 MB", 5 << 30: "5.0 GB", 5 << 40: "5120.0 GB",
	} {
		if n == 1023 {
			want = "1,023 bytes"
		}
		if got := sizeText(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	if got := exactSize(2456); got != "2.4 KB (2,456 bytes)" {
		t.Errorf("got %q", got)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	tools := []string{"create_folder", "delete_file", "edit_file", "read_file", "search_files", "write_file"}
	for name, want := range map[string]string{
		"readfile": "read_file", "Read-File": "read_file", "raed_file": "read_file", "search_file": "search_files", "search": "search_files",
		"read": "read_file", "bash": "", "": "", "...": "",
	} {
		if got := nearest(name, tools); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// TestEditDistance: it is a distance.
func TestEditDistance(t *testing.T) {
	word := rapid.StringMatching(`[ab]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := editDistance(a, b)
		if d != editDistance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) || d < max(len(a), len(b))-min(len(a), len(b)) {
			t.Fatalf("%q, %q: %d", a, b, d)
		}
		swapped := []byte(a)
		if len(swapped) > 1 {
			slices.Reverse(swapped[:2])
			if editDistance(a, string(swapped)) > 1 {
				t.Fatalf("%q, %q: more than a swap", a, swapped)
			}
		}
	})
}
