package theme

import (
	"regexp"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

func TestChoose(t *testing.T) {
	tests := []struct {
		configured     string
		light, noColor bool
		want           string
	}{
		{"", false, false, Dark},
		{"auto", true, false, Light},
		{"dark", true, false, Dark},
		{"light", false, false, Light},
		{"none", false, false, None},
		{"dark", false, true, None},
		{"unheard of", true, false, Light},
	}
	for _, tt := range tests {
		if got := Choose(tt.configured, tt.light, tt.noColor); got != tt.want {
			t.Errorf("Choose(%q, %v, %v) = %q, want %q", tt.configured, tt.light, tt.noColor, got, tt.want)
		}
	}
}

var colour = regexp.MustCompile(`\x1b\[[0-9;]*(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]`)

func TestNoneUsesAttributesAndNoColour(t *testing.T) {
	s := New(None, colorprofile.TrueColor)
	for name, open := range map[string]string{
		"accent": Open(s.Accent), "muted": Open(s.Muted), "error": Open(s.ErrorBold), "code": s.Code,
		"keyword": s.CodeKeyword, "heading": s.Headings[0], "wikilink": s.Wikilink, "ok": Open(s.OK),
	} {
		if colour.MatchString(open) {
			t.Errorf("%s is coloured: %q", name, open)
		}
	}
	if Open(s.Pointed) == "" || Open(s.Muted) == "" {
		t.Error("no attributes: what is pointed at cannot be seen")
	}
}

func TestThemesDiffer(t *testing.T) {
	if Open(New(Dark, colorprofile.TrueColor).Accent) == Open(New(Light, colorprofile.TrueColor).Accent) {
		t.Error("dark and light have the same accent")
	}
}
