package repeat

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// cutAt feeds text to a detector in pieces of the given number of bytes. It returns the bytes read until the detector
// reported a repetition and the bytes to keep; both are len(text) if it never did.
func cutAt(text string, piece int) (seen, keep int) {
	var e Text
	for at := 0; at < len(text); at += piece {
		end := min(at+piece, len(text))
		if keep, found := e.Add(text[at:end]); found {
			return end, keep
		}
	}
	return len(text), len(text)
}

// TestEndlessText: an endlessly repeated block is reported soon after the repetition that exceeds the limit, wherever
// it starts and however the text is split, and its first occurrence is kept.
func TestEndlessText(t *testing.T) {
	prose := strings.Repeat("I will look into the note now. ", 7)[:200]
	var long strings.Builder
	for i := range 80 {
		fmt.Fprintf(&long, "Step %d: the note %d is looked at.\n", i, i*i)
	}
	for name, c := range map[string]struct {
		block   string
		repeats int // repetitions until it is reported
	}{
		"200 characters":            {prose, 12},
		"2,000 characters":          {long.String()[:2000], 12},
		"a two-byte paragraph":      {strings.Repeat("Я посмотрю заметку. Потом отвечу! ", 20)[:680*17/10], 12},
		"one sentence":              {"I will look into the note now.\n", 12 + 4000/31 - 20},
		"a word":                    {"the ", 12 + 1000 - 20},
		"a letter":                  {"a", 3992},
		"line breaks":               {"\n", 12_000},
		"dashes":                    {"-", 12_000},
		"cells":                     {"|   |   |\n", 1_200},
		"a number":                  {"0, ", 12 + 1333 - 20},
		"a block of equal halves":   {strings.Repeat(prose[:100], 2), 16}, // 32 halves
		"characters of three bytes": {"同じことを言う。", 12 + 4000/24 - 20},
	} {
		for _, before := range []string{"", "Here it is.\n\n", long.String()} {
			alike := 0 // bytes before the block that belong to the repetition
			for alike < len(before) && before[len(before)-1-alike] == c.block[len(c.block)-1-alike%len(c.block)] {
				alike++
			}
			for _, piece := range []int{1, 7, len(c.block), 1 << 20} {
				text := before + strings.Repeat(c.block, c.repeats+3+keptBytes/blockRepeats/len(c.block))
				seen, keep := cutAt(text, piece)
				if want := len(before) - alike + c.repeats*len(c.block); seen < want || seen >= want+piece+keptBytes/blockRepeats {
					t.Errorf("%s after %d bytes in pieces of %d: noticed at %d, want %d (%d repeats)", name, len(before), piece, seen, want, (seen-len(before))/len(c.block))
				}
				first := len(before) - alike + len(c.block)
				if name == "a block of equal halves" {
					first -= len(c.block) / 2
				}
				if keep != first {
					t.Errorf("%s after %d bytes: keeps %d, want %d", name, len(before), keep, first)
				}
			}
			text := before[:len(before)-alike] + strings.Repeat(c.block, c.repeats-1)
			if seen, keep := cutAt(text, 5); seen != len(text) || keep != len(text) {
				t.Errorf("%s: cut at %d after %d repeats", name, keep, c.repeats-1)
			}
		}
	}
}

// legitimate returns long and regular texts that must never be cut.
func legitimate() map[string]string {
	lines := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i) + "\n")
		}
		return b.String()
	}
	wide := "|" + strings.Repeat("  |", 12)
	random := rand.New(rand.NewPCG(1, 2))
	return map[string]string{
		"a rule":                  strings.Repeat("-", 2000) + "\nend",
		"a box":                   "┌" + strings.Repeat("─", 1500) + "┐\n",
		"a table rule":            "|" + strings.Repeat("---|", 500) + "\n",
		"an aligned rule":         "|" + strings.Repeat(":--------:|", 200) + "\n",
		"an empty table":          wide + "\n" + strings.Repeat(wide+"\n", 200),
		"an empty table with day": lines(365, func(i int) string { return fmt.Sprintf("| %03d |          |          |          |", i) }),
		"numbered lines":          lines(3000, func(i int) string { return fmt.Sprintf("%d. The same thing again, which goes on for a while.", i+1) }),
		"tasks": lines(400, func(i int) string {
			return fmt.Sprintf("- [ ] Read chapter %d of the book and write down what it says", i+1)
		}),
		"empty tasks":          strings.Repeat("- [ ] \n", 500),
		"lines of writing out": strings.Repeat("I must not talk in class.\n", 100),
		"a refrain": lines(8, func(i int) string {
			return fmt.Sprintf("Verse %d\n%s", i, strings.Repeat("And we sing the song again, and again until the morning comes.\n", 4))
		}),
		"CSV":             lines(4000, func(i int) string { return fmt.Sprintf("2026-01-%02d,0,0,0,0,0,%d", i%28+1, i) }),
		"CSV of zeros":    strings.Repeat("0,0,0,0,0,0,0,0\n", 200),
		"a matrix":        "[" + strings.Repeat("[0, 0, 0, 0], ", 150) + "]",
		"bytes":           "{" + strings.Repeat("0x00, ", 512) + "}",
		"base64 of zeros": base64.StdEncoding.EncodeToString(make([]byte, 2048)),
		"code":            lines(300, func(i int) string { return fmt.Sprintf("\tcase %d:\n\t\treturn \"name of %d\", nil", i, i) }),
		"getters": lines(120, func(i int) string {
			return fmt.Sprintf("func (c *Config) Value%d() string {\n\treturn c.values[%d]\n}\n", i, i)
		}),
		"an empty page":  strings.Repeat("\n", 200) + strings.Repeat(" ", 2000),
		"a progress bar": strings.Repeat("█", 300) + strings.Repeat("░", 300),
		"hex":            lines(500, func(i int) string { return fmt.Sprintf("%08x  00 00 00 00 00 00 00 00", i*16) }),
		"noise": lines(500, func(int) string {
			return fmt.Sprintf("%x %x", random.Uint64(), random.Uint64())
		}),
		"two alternating rows, numbered": lines(400, func(i int) string { return fmt.Sprintf("| %s | %d |", []string{"yes", "no"}[i%2], i/2) }),
		"eleven paragraphs":              strings.Repeat(strings.Repeat("Lorem ipsum dolor sit amet, consectetur. ", 10)+"and so on\n\n", 11),
	}
}

func TestLegitimateText(t *testing.T) {
	for name, text := range legitimate() {
		for _, piece := range []int{1, 64, 1 << 20} {
			if seen, keep := cutAt(text, piece); seen != len(text) || keep != len(text) {
				t.Errorf("%s (%d bytes): cut at %d, keeps %d", name, len(text), seen, keep)
			}
		}
	}
}

// TestEndlessIsLinear: four times the length of the worst known texts takes about four times as long, within the
// noise of a busy machine.
func TestEndlessIsLinear(t *testing.T) {
	const size = 512 << 10
	random := rand.New(rand.NewPCG(3, 4))
	var halves strings.Builder
	for halves.Len() < size { // nearly periodic blocks, broken at random
		halves.WriteString(strings.Repeat("abcdefgh", random.IntN(200)) + string(rune('a'+random.IntN(26))))
	}
	a, b := "a", "ab"
	for len(b) < size {
		a, b = b, b+a
	}
	for name, text := range map[string]string{"nearly periodic": halves.String()[:size], "Fibonacci word": b[:size]} {
		took := func(n int) time.Duration {
			begun := time.Now()
			if seen, _ := cutAt(text[:n], 4096); seen != n {
				t.Errorf("%s: cut at %d", name, seen)
			}
			return time.Since(begun)
		}
		quarter, whole := took(size/4), took(size)
		if whole > 12*quarter+100*time.Millisecond {
			t.Errorf("%s: %v for %d bytes, %v for a quarter of them", name, whole, size, quarter)
		}
	}
}
