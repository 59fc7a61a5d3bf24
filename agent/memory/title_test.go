package memory

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"chatvault/agent/history"
)

func TestParseTitle(t *testing.T) {
	const title, summary = "Watering the tomato beds in June", "The person asked about water. It was explained."
	for _, c := range []struct{ text, title, summary string }{
		{"TITLE: " + title + "\nSUMMARY: " + summary, title, summary},
		{"Title: " + title + ".\n\nSummary:\n" + summary, title, summary},
		{"**Title:** “" + title + "”\n**Summary:** The person asked about water.\nIt was explained.", title, summary},
		{"## Title\n" + title + "\n## Summary\n" + summary, title, summary},
		{"Here you are:\n\n```\nTITLE: " + title + "\nSUMMARY: " + summary + "\n```", title, summary},
		{title + "\n\n" + summary, title, summary},
		{"# " + title + "\n" + summary, title, summary},
		{"TITEL: Tomaten gießen im Juni\nZUSAMMENFASSUNG: Es ging um Wasser.", "Tomaten gießen im Juni", "Es ging um Wasser."},
		{"TITLE: " + title, title, ""},
		{"TITLE: a\x1b[31mb\u202ec\nSUMMARY: x\x00y", "a[31mbc", "xy"},
		{"TITLE: one two three four five six seven eight nine ten eleven twelve thirteen", "one two three four five six seven eight nine ten eleven twelve thirteen", ""},
		{"TITLE: To be continued...", "To be continued...", ""},
		{"Here is the title:\n" + title, title, ""},
		// No usable title.
		{"", "", ""},
		{" \n```\n```\n", "", ""},
		{"TITLE:\nSUMMARY:", "", ""},
		{"TITLE: “…”", "", ""},
		{"I am sorry, but I cannot give this conversation a title, since it holds nothing of note that I could name.", "", ""},
	} {
		gotTitle, gotSummary := ParseTitle(c.text)
		if gotTitle != c.title || c.title != "" && gotSummary != c.summary {
			t.Errorf("%q\n got %q, %q\nwant %q, %q", c.text, gotTitle, gotSummary, c.title, c.summary)
		}
	}
}

// TestParseTitleOfAnyText: a title parsed from any text is short, on one line and without control characters.
func TestParseTitleOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{"TITLE:", "SUMMARY:", "title", ":", "\n", "{", "}", `"title":`, "**", "```", " ", "\x1b]0;x\x07", "\u202e", "“", "。"}),
			rapid.String(),
		), 0, 30).Draw(t, "parts")
		title, summary := ParseTitle(strings.Join(parts, ""))
		for text, most := range map[string]int{title: history.MaxTitle, summary: history.MaxSummary} {
			if utf8.RuneCountInString(text) > most || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' }) {
				t.Fatalf("taken: %q", text)
			}
		}
	})
}
