// Command genvault generates a deterministic, realistic Markdown vault.
//
//	genvault -n 10000 -seed 1 -out DIR
//
// It uses only the standard library. The same -n and -seed always produce the same bytes. The notes contain
// words for search benchmarks:
//
//	zyxqvrare     in ~n/2000 notes (at least 3): a rare literal
//	quick, the    frequent words of the Zipf distribution: common literals
//	needle-A..D   in ~n/500 notes each: alternation
package main

import (
	"bufio"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

var head = strings.Fields(`the of and to a in is that for it as with on be was this by are at from or have an not which one you were all their has when there more can about if out so what up into than them time only some could these two may then do first any my now such like our over even most after also did many before must through back years where much your way well down should because each just those people how too little state good very make world still own see men work long get here between both life being under never day same another know while last might us great old year off come since against go came right used take three quick brown fox jumps lazy dog meeting notes project review plan todo idea draft budget design engineering writing reading running testing building`)

var (
	tagWords = []string{"project", "idea", "meeting", "book", "person", "recipe", "health", "finance/tax", "finance/invest", "area/home", "area/work", "inbox", "todo", "ref", "zettel", "daily", "weekly", "travel", "music", "golang"}
	cjk      = []string{"会议记录", "项目计划", "读书笔记", "今天的天气很好。", "日本語のノート", "東京タワー", "한국어 메모", "数据库设计", "我们需要讨论这个问题,", "ありがとうございます。", "学习笔记", "性能优化"}
	emoji    = []string{"🎉", "🚀", "✅", "📝", "👩‍💻", "🔥", "💡", "❤️", "🇩🇪", "👍🏽"}
	folders  = []string{"Projects", "Areas/Home", "Areas/Work", "Areas/Health", "Resources/Books", "Resources/Articles", "Resources/People", "Archive", "Zettelkasten", "Inbox"}
)

type gen struct {
	r     *rand.Rand
	z     *rand.Zipf
	words []string
	names []string
	n     int
	i     int
	b     strings.Builder
}

func mkwords(r *rand.Rand, n int) []string {
	w := append([]string{}, head...)
	seen := map[string]bool{}
	for _, x := range w {
		seen[x] = true
	}
	on := []string{"b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr", "pl", "br", "ch", "sh", "th", ""}
	nu := []string{"a", "e", "i", "o", "u", "ea", "ou", "ai", "io"}
	co := []string{"", "n", "r", "s", "t", "l", "m", "nd", "st", "ck"}
	su := []string{"", "", "", "", "ing", "ed", "er", "tion", "ly", "ness", "s"}
	for len(w) < n {
		var s strings.Builder
		for k := 1 + r.Intn(3); k > 0; k-- {
			s.WriteString(on[r.Intn(len(on))] + nu[r.Intn(len(nu))] + co[r.Intn(len(co))])
		}
		s.WriteString(su[r.Intn(len(su))])
		if x := s.String(); !seen[x] && len(x) > 2 {
			seen[x] = true
			w = append(w, x)
		}
	}
	return w
}
func (g *gen) w() string { return g.words[g.z.Uint64()] }
func title(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func (g *gen) sentence() {
	k := 5 + g.r.Intn(16)
	for j := range k {
		x := g.w()
		if j == 0 {
			x = title(x)
		} else {
			g.b.WriteByte(' ')
		}
		switch q := g.r.Intn(400); {
		case q < 4:
			x = "**" + x + "**"
		case q < 7:
			x = "*" + x + "*"
		case q < 9:
			x = "`" + x + "`"
		case q < 13:
			x = "[[" + g.names[g.r.Intn(g.n)] + "]]"
		case q == 13:
			x = "[[" + g.names[g.r.Intn(g.n)] + "|" + x + "]]"
		case q == 14:
			x = "#" + tagWords[g.r.Intn(len(tagWords))]
		case q == 15:
			x = fmt.Sprintf("[%s](https://example.com/%s/%d)", x, x, g.r.Intn(9999))
		}
		g.b.WriteString(x)
	}
	g.b.WriteString(". ")
}

func (g *gen) para() {
	for k := 2 + g.r.Intn(5); k > 0; k-- {
		g.sentence()
	}
	g.b.WriteString("\n\n")
}

func (g *gen) body(target int, lang int) {
	for g.b.Len() < target {
		switch q := g.r.Intn(20); {
		case q == 0:
			fmt.Fprintf(&g.b, "## %s %s\n\n", title(g.w()), g.w())
		case q <= 2:
			for k := 2 + g.r.Intn(6); k > 0; k-- {
				g.b.WriteString([]string{"- [ ] ", "- [x] ", "- [ ] ", "- [/] "}[g.r.Intn(4)])
				g.sentence()
				if g.r.Intn(4) == 0 {
					fmt.Fprintf(&g.b, "📅 2025-%02d-%02d", 1+g.r.Intn(12), 1+g.r.Intn(28))
				}
				g.b.WriteByte('\n')
			}
			g.b.WriteByte('\n')
		case q <= 4:
			for k := 2 + g.r.Intn(5); k > 0; k-- {
				g.b.WriteString("- ")
				g.sentence()
				g.b.WriteByte('\n')
			}
			g.b.WriteByte('\n')
		case q == 5:
			g.b.WriteString("> [!note] " + title(g.w()) + "\n> ")
			g.sentence()
			g.b.WriteString("\n\n")
		case q == 6 && g.r.Intn(3) == 0:
			g.b.WriteString("```go\nfunc " + g.w() + "() error {\n\treturn fmt.Errorf(\"" + g.w() + ": %w\", err)\n}\n```\n\n")
		case q == 7 && g.r.Intn(3) == 0:
			g.b.WriteString("| " + g.w() + " | " + g.w() + " |\n|---|---|\n")
			for k := 2 + g.r.Intn(5); k > 0; k-- {
				g.b.WriteString("| " + g.w() + " | " + g.w() + " " + g.w() + " |\n")
			}
			g.b.WriteByte('\n')
		case lang == 1 && q < 16:
			for k := 3 + g.r.Intn(8); k > 0; k-- {
				g.b.WriteString(cjk[g.r.Intn(len(cjk))])
			}
			g.b.WriteString("\n\n")
		case lang == 2 && q < 12:
			g.b.WriteString(emoji[g.r.Intn(len(emoji))] + " ")
			g.sentence()
			g.b.WriteString(emoji[g.r.Intn(len(emoji))] + "\n\n")
		default:
			g.para()
		}
	}
}

func main() {
	n := flag.Int("n", 10000, "number of notes")
	seed := flag.Int64("seed", 1, "seed")
	out := flag.String("out", "", "output directory (must not exist or be empty)")
	flag.Parse()
	if *out == "" {
		flag.Usage()
		os.Exit(2)
	}
	r := rand.New(rand.NewSource(*seed*1_000_003 + int64(*n)))
	g := &gen{r: r, words: mkwords(r, 30000), n: *n}
	g.z = rand.NewZipf(r, 1.15, 2.7, uint64(len(g.words)-1))
	base := time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)
	paths := make([]string, *n)
	g.names = make([]string, *n)
	daily := min(*n/10, 3650)
	for i := range paths {
		var dir, name string
		if i < daily {
			d := base.AddDate(0, 0, -i)
			dir, name = fmt.Sprintf("Daily/%d/%02d", d.Year(), d.Month()), d.Format("2006-01-02")
		} else {
			f := folders[r.Intn(len(folders))]
			dir = f + "/" + title(g.words[150+r.Intn(40+*n/400)])
			if r.Intn(4) == 0 {
				dir += "/" + title(g.words[400+r.Intn(30)])
			}
			name = title(g.words[r.Intn(3000)]) + " " + g.words[r.Intn(3000)] + fmt.Sprintf(" %d", i)
			if i%97 == 0 {
				name = cjk[r.Intn(4)] + fmt.Sprintf(" %d", i)
			}
			if i%131 == 0 {
				name = emoji[r.Intn(3)] + " " + name
			}
		}
		g.names[i] = name
		paths[i] = filepath.Join(*out, dir, name+".md")
	}
	var total, files int64
	sum := fnv.New64a()
	dirs := map[string]bool{}
	put := func(p string, data []byte, mt time.Time) {
		if d := filepath.Dir(p); !dirs[d] {
			if err := os.MkdirAll(d, 0o755); err != nil {
				panic(err)
			}
			dirs[d] = true
		}
		if err := os.WriteFile(p, data, 0o644); err != nil {
			panic(err)
		}
		os.Chtimes(p, mt, mt)
		total += int64(len(data))
		files++
		sum.Write(data)
	}
	rare := max(*n/2000, 3)
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	for i, p := range paths {
		g.b.Reset()
		g.i = i
		mt := base.Add(-time.Duration(r.Int63n(int64(5 * 365 * 24 * time.Hour))))
		lang := 0
		if i%20 == 7 {
			lang = 1
		} else if i%25 == 3 {
			lang = 2
		}
		if r.Intn(10) < 7 {
			fmt.Fprintf(&g.b, "---\ntitle: \"%s\"\ndate: %s\ntags: [%s, %s]\naliases:\n  - %s %s\nstatus: %s\n---\n\n", g.names[i], mt.Format("2006-01-02"),
				tagWords[r.Intn(len(tagWords))], tagWords[r.Intn(len(tagWords))], g.w(), g.w(), []string{"active", "done", "draft"}[r.Intn(3)])
		}
		fmt.Fprintf(&g.b, "# %s\n\n", g.names[i])
		size := 400 + int(r.ExpFloat64()*2200) // ~2.6 KB mean
		if i%2500 == 1234 {                    // a few large notes
			size = 1<<20 + r.Intn(4<<20)
		} else if r.Intn(50) == 0 {
			size *= 8
		}
		g.body(size, lang)
		if i%(*n/rare) == *n/rare/2 {
			g.b.WriteString("A planted zyxqvrare needle line about the Quick fox.\n")
		}
		if k := i % 500; k < 4 {
			fmt.Fprintf(&g.b, "see needle-%c here\n", 'A'+k)
		}
		data := []byte(g.b.String())
		if i%211 == 5 { // some CRLF notes
			data = []byte(strings.ReplaceAll(g.b.String(), "\n", "\r\n"))
		}
		put(p, data, mt)
	}
	notes := total
	// One binary attachment per 50 notes.
	for i := 0; i < *n/50; i++ {
		sz := 8<<10 + int(r.ExpFloat64()*60000)
		buf := make([]byte, sz)
		r.Read(buf)
		ext := []string{".png", ".jpg", ".pdf"}[r.Intn(3)]
		copy(buf, map[string]string{".png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", ".jpg": "\xff\xd8\xff\xe0\x00\x10JFIF", ".pdf": "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\x00"}[ext])
		put(filepath.Join(*out, "Attachments", fmt.Sprintf("Pasted image %06d%s", i, ext)), buf, base)
	}
	for _, kv := range [][2]string{
		{".obsidian/app.json", `{"alwaysUpdateLinks":true,"attachmentFolderPath":"Attachments"}`},
		{".obsidian/appearance.json", `{"theme":"obsidian"}`},
		{".obsidian/workspace.json", `{"main":{"id":"x","type":"split","children":[]},"lastOpenFiles":[]}`},
		{".obsidian/daily-notes.json", `{"folder":"Daily","format":"YYYY/MM/YYYY-MM-DD"}`},
		{".obsidian/plugins/dataview/main.js", strings.Repeat("function the(){return 'quick zyxqvrare'};\n", 20000)},
		{".obsidian/plugins/dataview/manifest.json", `{"id":"dataview","version":"0.5.67"}`},
		{".trash/Deleted note.md", "# Deleted\n\nthe quick zyxqvrare\n"},
	} {
		put(filepath.Join(*out, kv[0]), []byte(kv[1]), base)
	}
	ks := make([]string, 0, len(dirs))
	for d := range dirs {
		ks = append(ks, d)
	}
	sort.Strings(ks)
	fmt.Fprintf(w, "notes=%d files=%d dirs=%d note_bytes=%d total_bytes=%d fnv64=%016x\n", *n, files, len(ks), notes, total, sum.Sum64())
}
