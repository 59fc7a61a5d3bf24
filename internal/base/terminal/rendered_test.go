package terminal

import (
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"pgregory.net/rapid"
)

func TestRendered(t *testing.T) {
	const ownURL = "https://example.org/a?b=c"
	link := Link(ownURL, "text")
	for _, c := range []struct{ name, in, want string }{
		{"colours", "\x1b[1;38;5;39mA\x1b[0m b", "\x1b[1;38;5;39mA\x1b[0m b"},
		{"true colour", "\x1b[38;2;1;2;3;48;2;4;5;6mA\x1b[m", "\x1b[38;2;1;2;3;48;2;4;5;6mA\x1b[0m"},
		{"sub-parameters", "\x1b[38:2::1:2:3m\x1b[4:3m\x1b[58:5:9mA\x1b[0m", "\x1b[4:3;38;2;1;2;3;58;5;9mA\x1b[0m"},
		{"bright", "\x1b[91;104mA\x1b[39;49mB", "\x1b[91;104mA\x1b[0mB"},
		{"attributes", "\x1b[2;3;4;7;9mA\x1b[22;23;24;27;29mB", "\x1b[2;3;7;9;4mA\x1b[0mB"},
		{"nothing in a style", "\x1b[31m\x1b[0mA", "A"},
		{"concealed", "\x1b[8mA\x1b[1;8mB\x1b[0m", "A\x1b[1mB\x1b[0m"},
		{"blinking", "\x1b[5mA\x1b[6;3mB\x1b[0m", "A\x1b[3mB\x1b[0m"},
		{"8 as a colour", "\x1b[38;5;8mA\x1b[0m", "\x1b[38;5;8mA\x1b[0m"},
		{"half a colour", "\x1b[38mA\x1b[0m", "A"},
		{"bleeding", "\x1b[31mA", "\x1b[31mA\x1b[0m"},
		{"bleeding over lines", "\x1b[31mA\n\nB\x1b[0m\nC", "\x1b[31mA\x1b[0m\n\n\x1b[31mB\x1b[0m\nC"},
		{"cursor", "a\x1b[2Jb\x1b[1A\x1b[2Kc", "a␛[2Jb␛[1A␛[2Kc"},
		{"private SGR", "\x1b[>4;2m\x1b[?1m", "␛[>4;2m␛[?1m"},
		{"title", "\x1b]0;t\x07x", "␛]0;t␇x"},
		{"cut short", "x\x1b[", "x␛["},
		{"unterminated", "\x1b]52;c;QUJD\nrest", "␛]52;c;QUJD\nrest"},
		{"too many parameters", "\x1b[" + strings.Repeat("1;", 60) + "1mx", "␛[" + strings.Repeat("1;", 60) + "1mx"},
		{"a huge parameter", "\x1b[99999999999999999999mx", "x"},
		{"our link", link, link},
		{
			"our link, styled, over lines", "\x1b[4m" + Link(ownURL, "a\nb") + "\x1b[0m",
			"\x1b[4m" + openLink(ownURL) + "a" + linkEnd + "\x1b[0m\n\x1b[4m" + openLink(ownURL) + "b" + linkEnd + "\x1b[0m",
		},
		{"our link, not closed", openLink(ownURL) + "a\n", openLink(ownURL) + "a" + linkEnd + "\n"},
		{"a foreign link", "\x1b]8;;https://evil.example\x1b\\bank.com\x1b]8;;\x1b\\", "␛]8;;https://evil.example␛\\bank.com␛]8;;␛\\"},
		{"a link with another's id", strings.Replace(openLink(ownURL), "example.org", "evil.example", 1) + "x", Text(strings.Replace(openLink(ownURL), "example.org", "evil.example", 1) + "x")},
		{"a link's end alone", "a" + linkEnd, "a␛]8;;␛\\"},
		{"CRLF", "\x1b[31ma\x1b[0m\r\nb", "\x1b[31ma\x1b[0m\nb"},
		{"a mark after a style", "\x1b[31m\u0301", "\x1b[31m◌\u0301\x1b[0m"},
		{"an emoji in two styles", "👨\u200d\x1b[1m👩\x1b[0m", "👨\x1b[1m\u200d👩\x1b[0m"},
		{"bidi", "\x1b[1ma\u202eb\x1b[0m", "\x1b[1mab\x1b[0m"},
	} {
		got := Rendered(c.in)
		if got != c.want {
			t.Errorf("%s: Rendered(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
		if again := Rendered(got); again != got {
			t.Errorf("%s is not idempotent: %q, then %q", c.name, got, again)
		}
	}
}

// checkRendered checks that only SGR and our own links remain and that every style is closed at the end of a line.
func checkRendered(t failer, out string) {
	for _, line := range strings.Split(out, "\n") {
		checkSafe(t, "Rendered", withoutSequences(t, line), true)
	}
}

func withoutSequences(t failer, line string) string {
	var text strings.Builder
	styled, linked := false, false
	for line != "" {
		if _, n := readStyle(line, uv.Style{}); n > 0 {
			for _, p := range strings.Split(line[2:n-1], ";") {
				if p == "8" && !strings.Contains(line[:n], "5;8") && !strings.Contains(line[:n], "2;") {
					t.Fatalf("concealed: %q", line[:n])
				}
			}
			styled = line[:n] != reset
			line = line[n:]
			continue
		}
		if target, n := readLink(line); line[0] == '\x1b' && n > 0 {
			linked = target != ""
			line = line[n:]
			continue
		}
		text.WriteByte(line[0])
		line = line[1:]
	}
	if styled || linked {
		t.Fatalf("a line ends with an open style (%t) or link (%t)", styled, linked)
	}
	return text.String()
}

func TestRenderedIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostile().Draw(t, "text")
		if rapid.Bool().Draw(t, "linked") {
			s += Link("https://example.org", hostile().Draw(t, "label"))
		}
		out := Rendered(s)
		checkRendered(t, out)
		if again := Rendered(out); again != out {
			t.Fatalf("not idempotent: %q, then %q", out, again)
		}
	})
}

func TestLink(t *testing.T) {
	for _, target := range []string{"https://example.org/", "http://127.0.0.1:80/x", "obsidian://open?vault=v&file=n%20m"} {
		if got := Link(target, "x"); !strings.HasPrefix(got, "\x1b]8;id=") || !strings.HasSuffix(got, "x"+linkEnd) {
			t.Errorf("Link(%q) = %q", target, got)
		}
	}
	for _, target := range []string{"", "file:///etc/passwd", "javascript:alert(1)", "https:", "https:///x", "note.md", "https://e.example/\x1b\\", "https://e.example/a b", "https://é.example/", "https://e.example/" + strings.Repeat("a", maxTarget), "x-man-page://x", "ssh://h"} {
		if got := Link(target, "x"); got != "x" {
			t.Errorf("Link(%q) = %q, want no link", target, got)
		}
	}
}

func TestDestination(t *testing.T) {
	for target, want := range map[string]string{
		"https://go.dev/doc":               "go.dev",
		"https://evil.example/?q=SECRET":   "evil.example",
		"https://bank.com@evil.example/":   "evil.example",
		"https://аpple.com/":               "xn--pple-43d.com",
		"HTTPS://EVIL.example/p":           "evil.example",
		"https:\\\\evil.example":           "https:\\\\evil.example",
		"mailto:a@b.example":               "mailto:a@b.example",
		"javascript:alert(1)":              "javascript:alert(1)",
		"https://evil.example/\x1b[2J":     "evil.example",
		"data:" + strings.Repeat("a", 100): "data:" + strings.Repeat("a", 55) + "…",

		"https://bank.com." + strings.Repeat("a", 60) + ".evil.example/": "…" + strings.Repeat("a", 47) + ".evil.example",
	} {
		if got := Destination(target); got != want {
			t.Errorf("Destination(%q) = %q, want %q", target, got, want)
		}
	}
}

func BenchmarkRendered(b *testing.B) {
	s := strings.Repeat("\x1b[38;5;252m\x1b[0m\x1b[38;5;252m  A line of rendered text, \x1b[0m\x1b[38;5;252;1mbold\x1b[0m, and so on – to its end\x1b[0m\n", 1000)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Rendered(s)
	}
}
