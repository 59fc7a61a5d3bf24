// Package golden compares screens with human-readable golden files. A file has the plain text of the screen
// and below it a list of the styled columns of each line.
//
//	 ◆ Garden notes          offline engine
//
//	-- styles --
//	1       2 fg=#8b909a · 4-15 bold
//
// Lines and columns count from one. Consecutive lines with the same styles share a row. The style of a blank
// is listed only if it is visible: a background, reverse video, or a line through or under it.
//
// The package adds the flag -update to tests that import it. The flag rewrites the golden files.
package golden

import (
	"flag"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Check compares screens, formatted by Format and joined, with the golden file testdata/name.
func Check(t *testing.T, name string, parts ...string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	formatted := make([]string, len(parts))
	for i, p := range parts {
		formatted[i] = Format(p)
	}
	got := strings.Join(formatted, "\n")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it and run the tests with -update\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// Format returns a screen in the format of golden files. drawn is text with SGR and OSC 8 sequences.
func Format(drawn string) string {
	var text, styles strings.Builder
	var rows []string
	for line := range strings.Lines(ansi.Strip(drawn)) {
		text.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	for _, cells := range uv.NewStyledString(drawn).Lines(ansi.GraphemeWidth) {
		rows = append(rows, spans(cells))
	}
	for i := 0; i < len(rows); {
		from := i
		for i < len(rows) && rows[i] == rows[from] {
			i++
		}
		if rows[from] != "" {
			fmt.Fprintf(&styles, "%-7s %s\n", numbers(from, i), rows[from])
		}
	}
	if styles.Len() > 0 {
		text.WriteString("-- styles --\n" + styles.String())
	}
	return text.String()
}

// spans returns a list of the styled columns of a line, such as "2 fg=12 · 4-15 bold".
func spans(cells uv.Line) string {
	var all []string
	from, to, style := 0, 0, "" // the current span, up to its last cell with a visible style
	end := func() {
		if style != "" {
			all = append(all, numbers(from, to)+" "+style)
		}
	}
	column := 0
	for _, c := range cells {
		if s := describe(&c); !isBlank(&c) {
			if s != style {
				end()
				from, style = column, s
			}
			to = column + c.Width
		}
		column += c.Width
	}
	end()
	return strings.Join(all, " · ")
}

// numbers formats the half-open range [a, b), which counts from zero, as a closed range that counts from one.
func numbers(a, b int) string {
	if b-a == 1 {
		return fmt.Sprint(b)
	}
	return fmt.Sprintf("%d-%d", a+1, b)
}

// isBlank reports whether a cell is invisible in any text colour.
func isBlank(c *uv.Cell) bool {
	s := c.Style
	return strings.TrimSpace(c.Content) == "" && s.Bg == nil && s.Underline == 0 && c.Link.URL == "" &&
		s.Attrs&(uv.AttrReverse|uv.AttrStrikethrough) == 0
}

// describe returns the style of a cell, such as "bold fg=12"; empty if it has none.
func describe(c *uv.Cell) string {
	var words []string
	for _, a := range []struct {
		attr uint8
		name string
	}{
		{uv.AttrBold, "bold"},
		{uv.AttrFaint, "faint"},
		{uv.AttrItalic, "italic"},
		{uv.AttrBlink, "blink"},
		{uv.AttrReverse, "reverse"},
		{uv.AttrConceal, "conceal"},
		{uv.AttrStrikethrough, "strike"},
	} {
		if c.Style.Attrs&a.attr != 0 {
			words = append(words, a.name)
		}
	}
	if c.Style.Underline != 0 {
		words = append(words, "underline")
	}
	if c.Style.Fg != nil {
		words = append(words, "fg="+colour(c.Style.Fg))
	}
	if c.Style.Bg != nil {
		words = append(words, "bg="+colour(c.Style.Bg))
	}
	if c.Link.URL != "" {
		words = append(words, "link="+c.Link.URL)
	}
	return strings.Join(words, " ")
}

// colour returns the number of a palette colour, and #rrggbb for any other.
func colour(c color.Color) string {
	switch c := c.(type) {
	case ansi.BasicColor:
		return fmt.Sprint(int(c))
	case ansi.IndexedColor:
		return fmt.Sprint(int(c))
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
