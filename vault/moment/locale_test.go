package moment

import (
	"testing"
	"time"
)

// TestLocales checks dates as Moment.js 2.29.4 formats them in other languages.
func TestLocales(t *testing.T) {
	for _, c := range []struct{ tag, day, format, want string }{
		{"de", "2026-11-29", "dddd, D. MMMM YYYY", "Sonntag, 29. November 2026"},
		{"de_AT.UTF-8", "2026-01-02", "MMMM ddd dd Do", "Jänner Fr. Fr 2."},
		{"de", "2026-11-29", "gggg-[W]ww e", "2026-W48 6"},
		{"en", "2026-11-29", "gggg-[W]ww e", "2026-W49 0"},
		{"en-GB", "2026-11-29", "gggg-[W]ww e L", "2026-W48 6 29/11/2026"},
		{"fr", "2026-12-01", "dddd Do MMMM", "mardi 1er décembre"},
		{"ru", "2026-11-21", "D MMMM", "21 ноября"},
		{"ru", "2026-11-21", "YYYY/MM-MMMM", "2026/11-ноябрь"},
		{"el", "2026-12-31", "dddd, D. MMMM", "Πέμπτη, 31. Δεκεμβρίου"},
		{"el", "2026-12-31", "MMMM YYYY D", "Δεκέμβριος 2026 31"},
		{"lt", "2026-12-31", "LL", "2026 m. gruodžio 31 d."},
		{"pl", "2026-12-31", "Do MMMM", "31. grudzień"},
		{"pl", "2026-12-31", "DD MMMM YYYY", "31 grudnia 2026"},
		{"pt-BR", "2026-11-21", "MM-MMMM ddd", "11-novembro sáb"},
		{"sv", "2027-01-03", "gggg-[v]w", "2026-v53"},
		{"zh", "2026-11-21", "YYYY年MMMD日 dddd", "2026年11月21日 星期六"},
		{"ja", "2026-11-21", "LL (dd)", "2026年11月21日 (土)"},
		{"nl-NL", "2026-11-21", "LL ll", "21 november 2026 21 nov. 2026"},
		{"no", "2026-11-21", "dddd", "lørdag"},
		{"C.UTF-8", "2026-11-21", "dddd wo DDDo", "Saturday 47th 325th"},
		{"", "2026-11-21", "MMMM", "November"},
		{"xx-YY", "2026-11-21", "MMM", "Nov"},
	} {
		day, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		if got := LocaleOf(c.tag).Format(c.format, day); got != c.want {
			t.Errorf("%s %s %q: %q, want %q", c.tag, c.day, c.format, got, c.want)
		}
	}
	for name, l := range locales() {
		for token, n := range map[string]int{"MMMM": 12, "MMM": 12, "dddd": 7, "ddd": 7, "dd": 7, "LT": 1, "LL": 1, "ll": 1} {
			if len(l.Names[token]) != n {
				t.Errorf("%s has %q for %s", name, l.Names[token], token)
			}
		}
		if n := len(l.Names["o"]); n != 1 && n != 31 {
			t.Errorf("%s has %d ordinals", name, n)
		}
	}
	if len(locales()) < 80 {
		t.Errorf("%d locales", len(locales()))
	}
}
