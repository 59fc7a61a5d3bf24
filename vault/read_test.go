package vault

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"chatvault/vault/vaulterr"
)

func TestRead(t *testing.T) {
	v := newTest(t, map[string]string{"a.md": "text", "folder/x.md": ""})
	f, err := v.Read(t.Context(), "a.md")
	if err != nil || string(f.Data) != "text" || f.Hash != Hash([]byte("text")) || f.Mode.Perm() != 0o644 {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := v.Read(t.Context(), "folder"); !errors.Is(err, vaulterr.KindIsFolder) {
		t.Errorf("folder: %v", err)
	}
	if _, err := v.Read(t.Context(), "a.md/x.md"); !errors.Is(err, vaulterr.KindNotFolder) {
		t.Errorf("file as a folder: %v", err)
	}
	if _, err := v.Read(t.Context(), "."); !errors.Is(err, vaulterr.KindIsFolder) {
		t.Errorf("root: %v", err)
	}
	big, err := os.Create(filepath.Join(v.dir, "big.md"))
	mustTest(t, err)
	mustTest(t, big.Truncate(MaxRead+1))
	mustTest(t, big.Close())
	if _, err := v.Read(t.Context(), "big.md"); !errors.Is(err, vaulterr.KindTooLarge) {
		t.Errorf("big: %v", err)
	}
}

func TestBinary(t *testing.T) {
	for text, want := range map[string]bool{
		"":                           false,
		"plain":                      false,
		"日本語":                        false,
		"caf\xe9 au lait, Latin-1":   false,
		"\x89PNG\r\n\x1a\n\x00\x00":  true,
		"\xff\xfea\x00b\x00":         true,
		"\xfe\xff\x00a":              true,
		"a\x00b":                     true,
		"\xff\xd8\xff\xe0\x80\x81":   true,
		strings.Repeat("日", 5000):    false, // the first 8 KB end within a character
		"a" + strings.Repeat("é", 8): false,
	} {
		if Binary([]byte(text)) != want {
			t.Errorf("Binary(%.20q) is %v", text, !want)
		}
	}
}

func TestLinesOf(t *testing.T) {
	texts := map[string]string{
		"five": "one\ntwo\nthree\nfour\nfive\n", "crlf": "\xef\xbb\xbfone\r\ntwo\r\nlast", "empty": "",
		"blank": "\n\n", "long": "ab\n" + strings.Repeat("é", 100) + "\nend\n",
	}
	for _, c := range []struct {
		name      string
		r         LineRange
		text      string
		total     int
		truncated bool
	}{
		{"five", LineRange{}, "one|two|three|four|five", 5, false},
		{"five", LineRange{Start: 2, End: 3}, "two|three", 5, false},
		{"five", LineRange{Start: 4, End: 99}, "four|five", 5, false},
		{"five", LineRange{Start: 6}, "", 5, false},
		{"five", LineRange{Start: 4, End: 3}, "", 5, false},
		{"five", LineRange{MaxLines: 2}, "one|two", 5, true},
		{"five", LineRange{MaxLines: 5}, "one|two|three|four|five", 5, false},
		{"five", LineRange{Start: 2, End: 3, MaxLines: 2}, "two|three", 5, false},
		{"five", LineRange{MaxBytes: 8}, "one|two", 5, true},
		{"five", LineRange{MaxBytes: 7}, "one", 5, true},
		{"five", LineRange{MaxBytes: 2}, "on", 5, true},
		{"crlf", LineRange{}, "one|two|last", 3, false},
		{"empty", LineRange{}, "", 0, false},
		{"blank", LineRange{}, "|", 2, false},
		{"long", LineRange{MaxLineBytes: 5}, "ab|éé|end", 3, false},
	} {
		l := LinesOf([]byte(texts[c.name]), c.r)
		if got := strings.Join(l.Text, "|"); got != c.text || l.Total != c.total || l.Truncated != c.truncated {
			t.Errorf("%s %+v: %q, %+v", c.name, c.r, got, l)
		}
	}
	if l := LinesOf([]byte(texts["long"]), LineRange{MaxLineBytes: 5}); !slices.Equal(l.Cut, []int{0, 196, 0}) {
		t.Errorf("%+v", l)
	}
}

// TestLineProperties compares the lines of random text with splitting it at once.
func TestLineProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "日本", "\n", "\r\n", "\r", "word ", "\n\n"}), 0, 40).Draw(t, "text"), "")
		r := LineRange{
			Start: rapid.IntRange(0, 6).Draw(t, "start"), End: rapid.IntRange(0, 12).Draw(t, "end"),
			MaxLines: rapid.IntRange(0, 5).Draw(t, "lines"), MaxLineBytes: rapid.IntRange(0, 9).Draw(t, "line bytes"),
		}
		got := LinesOf([]byte(text), r)

		all := strings.Split(text, "\n")
		for i := range all[:len(all)-1] {
			all[i] = strings.TrimSuffix(all[i], "\r")
		}
		if all[len(all)-1] == "" {
			all = all[:len(all)-1]
		}
		if got.Total != len(all) {
			t.Fatalf("%q has %d lines, got %d", text, len(all), got.Total)
		}
		last := len(all)
		if r.End > 0 {
			last = min(last, r.End)
		}
		var want []string
		if first := max(r.Start, 1) - 1; first < last {
			want = all[first:last]
		}
		truncated := r.MaxLines > 0 && len(want) > r.MaxLines
		if truncated {
			want = want[:r.MaxLines]
		}
		if got.Truncated != truncated || len(got.Text) != len(want) {
			t.Fatalf("%q, %+v: got %+v, want %q", text, r, got, want)
		}
		for i, line := range want {
			shown := got.Text[i]
			cut := r.MaxLineBytes > 0 && len(line) > r.MaxLineBytes
			if !strings.HasPrefix(line, shown) || len(shown)+got.Cut[i] != len(line) || !utf8.ValidString(shown) && r.MaxLineBytes >= 4 ||
				cut != (got.Cut[i] > 0) || cut && len(shown) > r.MaxLineBytes {
				t.Fatalf("line %q of %q: got %q, cut %d", line, text, shown, got.Cut[i])
			}
		}
	})
}

// TestHugeFilesAreCheap reads a single line of 50 MB and a sparse file of 1 GB, and limits the memory.
func TestHugeFilesAreCheap(t *testing.T) {
	v := newTest(t, nil)
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "line.md"), bytes.Repeat([]byte("x"), 50<<20), 0o644))
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "sparse.md"), []byte("# Sparse\n"), 0o644))
	mustTest(t, os.Truncate(filepath.Join(v.dir, "sparse.md"), 1<<30))
	runtime.GC()

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := v.Read(t.Context(), "line.md")
	mustTest(t, err)
	l := LinesOf(f.Data, LineRange{MaxBytes: 100_000, MaxLineBytes: 1000})
	if l.Total != 1 || len(l.Text[0]) != 1000 || l.Cut[0] != 50<<20-1000 {
		t.Errorf("line: %d lines, %d of text", l.Total, len(l.Text))
	}
	if _, err = v.Read(t.Context(), "sparse.md"); !errors.Is(err, vaulterr.KindTooLarge) {
		t.Errorf("sparse: %v", err)
	}
	runtime.ReadMemStats(&after)
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 58<<20 {
		t.Errorf("%d MB were allocated", spent>>20)
	}
}
