package theme

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// luminance returns the relative luminance of a colour #RRGGBB, as defined by WCAG 2.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) != 7 {
		t.Fatalf("no colour: %q", hex)
	}
	var l float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		l += weight * c
	}
	return l
}

func ratio(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// xterm returns one of the colours 16 to 255, which are the same in every terminal.
func xterm(t *testing.T, number string) string {
	t.Helper()
	n, err := strconv.Atoi(number)
	if err != nil || n < 16 || n > 255 {
		t.Fatalf("%q is not one of the 240 colours that are the same everywhere", number)
	}
	if n >= 232 {
		v := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", v, v, v)
	}
	n -= 16
	step := func(i int) int {
		if i == 0 {
			return 0
		}
		return 55 + 40*i
	}
	return fmt.Sprintf("#%02x%02x%02x", step(n/36), step(n/6%6), step(n%6))
}

func TestContrastFormula(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want float64
	}{{"#000000", "#FFFFFF", 21}, {"#FFFFFF", "#FFFFFF", 1}, {"#767676", "#FFFFFF", 4.54}, {"#777777", "#FFFFFF", 4.48}} {
		if got := ratio(t, tt.a, tt.b); math.Abs(got-tt.want) > 0.005 {
			t.Errorf("%s on %s: %.3f, want %.2f", tt.a, tt.b, got, tt.want)
		}
	}
	for n, want := range map[string]string{"16": "#000000", "231": "#ffffff", "196": "#ff0000", "244": "#808080", "141": "#af87ff"} {
		if got := xterm(t, n); got != want {
			t.Errorf("colour %s is %s, want %s", n, got, want)
		}
	}
}

// promised lists the backgrounds that themes assume and their minimum contrast ratios, as defined by WCAG 2.
var promised = map[string]struct {
	background string
	contrast   float64
}{
	Dark: {"#1E1E1E", contrastAA}, Light: {"#FFFFFF", contrastAA}, Warm: {"#1E1E1E", contrastAA},
	Contrast: {"#1E1E1E", contrastAAA}, ContrastLight: {"#FFFFFF", contrastAAA},
}

// The minimum contrast ratios of WCAG for text.
const (
	contrastAA  = 4.5
	contrastAAA = 7
)

// Every text colour is readable on the theme's background, in true colour and in 256 colours.
func TestTextCanBeRead(t *testing.T) {
	strong := 0
	for _, l := range Looks {
		if l.Name == None {
			continue
		}
		want, ok := promised[l.Name]
		if !ok {
			t.Errorf("%s promises no contrast", l.Name)
			continue
		}
		if want.contrast >= contrastAAA {
			strong++
		}
		for name, c := range l.palette.colours() {
			for _, on := range []struct{ text, background, where string }{
				{c.TrueColor, want.background, "the background"},
				{xterm(t, c.ANSI256), want.background, "the background, in 256 colours"},
				{c.TrueColor, l.palette.Surface.TrueColor, "the surface"},
				{xterm(t, c.ANSI256), xterm(t, l.palette.Surface.ANSI256), "the surface, in 256 colours"},
			} {
				if got := ratio(t, on.text, on.background); got < want.contrast {
					t.Errorf("%s: %s is %s on %s (%s): %.2f, want %.1f", l.Name, name, on.text, on.background, on.where, got, want.contrast)
				}
			}
			if _, err := strconv.Atoi(c.ANSI); err != nil {
				t.Errorf("%s: %s has no colour for 16: %q", l.Name, name, c.ANSI)
			}
		}
	}
	if strong < 2 {
		t.Errorf("%d themes of high contrast", strong)
	}
}

// A filled line has the surface from end to end, whatever its parts, and none with 16 colours or without colour.
func TestFilled(t *testing.T) {
	s := New(Dark, colorprofile.TrueColor)
	got := s.Filled("a"+s.Bold.Render("b")+Styled(s.Code, "c"), 5)
	em := strings.Split(got, s.Surface)
	if !strings.HasPrefix(got, s.Surface) || !strings.HasSuffix(got, "  "+Reset) || len(em) != 4 || s.Surface == "" {
		t.Errorf("%q", got)
	}
	for name, s := range map[string]*Styles{"16 colours": New(Dark, colorprofile.ANSI), "no colour": New(None, colorprofile.TrueColor), "plain": New(Dark, colorprofile.NoTTY)} {
		if got := s.Filled("a", 5); got != "a" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// xterm16 holds the 16 colours of xterm, which other terminals vary.
var xterm16 = [16]string{
	"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
	"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
}

// With 16 colours too, every text is readable, on black or white. Only muted text on white is less than that: no
// other of the 16 is lighter than text and readable there.
func TestSixteenColours(t *testing.T) {
	for _, l := range Looks {
		if l.Name == None {
			continue
		}
		background := "#000000"
		if luminance(t, promised[l.Name].background) > 0.5 {
			background = "#ffffff"
		}
		for name, c := range l.palette.colours() {
			n, err := strconv.Atoi(c.ANSI)
			if err != nil || n > 15 {
				t.Errorf("%s: %s is no colour of 16: %q", l.Name, name, c.ANSI)
				continue
			}
			want := contrastAA
			if name == "muted" && background == "#ffffff" {
				want = 4
			}
			if got := ratio(t, xterm16[n], background); got < want {
				t.Errorf("%s: %s is colour %d on %s: %.2f, want %.1f", l.Name, name, n, background, got, want)
			}
		}
	}
}

// The accent is for what one can act on: success, warnings and errors look different, in every profile. Lines are
// quiet, but visible.
func TestOneAccent(t *testing.T) {
	for _, l := range Looks {
		if l.Name == None {
			continue
		}
		a := l.palette.Accent
		for name, c := range map[string]Color{"ok": l.palette.OK, "warn": l.palette.Warn, "error": l.palette.Error} {
			if c.TrueColor == a.TrueColor || c.ANSI256 == a.ANSI256 || c.ANSI == a.ANSI {
				t.Errorf("%s: %s has the accent's colour in a profile: %v and %v", l.Name, name, c, a)
			}
		}
		least := 1.4
		if promised[l.Name].contrast >= contrastAAA {
			least = 3
		}
		for _, line := range []string{l.palette.Line.TrueColor, xterm(t, l.palette.Line.ANSI256)} {
			if got := ratio(t, line, promised[l.Name].background); got < least || got > ratio(t, l.palette.Muted.TrueColor, promised[l.Name].background) {
				t.Errorf("%s: lines are %s: %.2f", l.Name, line, got)
			}
		}
	}
}

// colours returns the text colours by purpose.
func (p Palette) colours() map[string]Color {
	return map[string]Color{
		"accent": p.Accent, "muted": p.Muted, "ok": p.OK, "warn": p.Warn, "error": p.Error, "code": p.Code,
	}
}
