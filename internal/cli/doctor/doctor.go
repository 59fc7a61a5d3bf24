// Package doctor checks vault, configuration, provider and terminal, and says what to do. What it
// finds is a line each: ok, a note, or what is broken.
package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/config"
	"chatvault/internal/session"
	"chatvault/internal/smarthole"
	"chatvault/internal/terminal/output"
	"chatvault/internal/text"
)

// finding is one line of doctor: ok, or what to do.
type finding struct {
	area string
	text string
	bare string // what a report without names says instead of text; empty: nothing of it
	why  string // what went wrong, in the words of what did; empty: text says it
	todo string // empty: ok
	warn bool   // worth doing, but nothing is broken
}

// Options are where doctor looks.
type Options struct {
	Out          *output.Writer
	InIsTerminal bool
	LookupEnv    func(string) (string, bool)
	Sources      config.Sources
	UserFile     string // the user's configuration, for a person
}

func (o Options) getenv(name string) string {
	value, _ := o.LookupEnv(name)
	return value
}

// plain is a finding whose text names nothing of the person's: a report may have all of it.
func (f finding) plain() finding {
	f.bare = f.text
	return f
}

// look looks at everything.
func look(o Options) (all []finding, cfg *config.Config, dir string) {
	cfg, found, err := config.Open(o.Sources, config.Search{})
	all = slices.Concat(checkConfig(cfg, err), checkKeyFiles())
	if found.Dir != "" {
		all = append(all, checkVault(cfg, found)...)
	} else if err != nil {
		all = append(all, noVault(cfg, err))
	}
	all = append(all, checkChosen(o, cfg)...)
	if _, refused := errors.AsType[config.Errors](err); refused { // what was left out may have said whose the key is
		all = append(all, finding{
			area: "provider", text: "not asked, since the configuration does not say for certain who would get the key",
			todo: "fix the configuration; then run chatvault doctor again", warn: true,
		}.plain())
	} else {
		all = append(all, checkProvider(o, cfg, o.UserFile)...)
	}
	return slices.Concat(all, checkBudget(o, cfg, o.UserFile), checkRouting(cfg), checkTerminal(o, cfg)), cfg, found.Dir
}

// mark says how grave a finding is.
func (f finding) mark() string {
	switch {
	case f.todo == "":
		return "ok  "
	case f.warn:
		return "note"
	}
	return "FAIL"
}

// Run looks at everything and prints what it found; it says whether nothing is broken.
func Run(o Options) bool {
	all, _, _ := look(o)
	bad, width, bold := 0, 0, func(text string) string { return text }
	if o.Out.IsTerminal() {
		width = o.Out.Width()
		if kind := o.getenv("TERM"); kind != "" && kind != "dumb" {
			bold = output.Bold.Set
		}
	}
	for _, f := range all {
		f.text, f.why, f.todo = o.Out.Text(f.text), o.Out.Text(f.why), o.Out.Text(f.todo)
		mark := f.mark()
		if mark == "FAIL" {
			bad++
		}
		text := f.lines(mark, width)
		if f.todo != "" {
			text = bold(mark) + strings.TrimPrefix(text, mark)
		}
		fmt.Fprint(o.Out, text)
	}
	return bad == 0
}

// lines are the finding as it is printed: its text, and aligned below it why and what to do,
// each line ended. Lines are broken between words to fit width cells; 0: they are not.
func (f finding) lines(mark string, width int) string {
	begin := fmt.Sprintf("%s  %-13s ", mark, f.area)
	below := strings.Repeat(" ", len(begin))
	if width > 0 && width < narrowFindings { // the text has a line of its own
		begin, below = fmt.Sprintf("%s  %s\n      ", mark, f.area), "      "
	}
	out := begin + output.Hang(f.text, below, width) + "\n"
	if f.why != "" {
		out += below + output.Hang(f.why, below, width) + "\n"
	}
	if f.todo != "" {
		out += below + "→ " + output.Hang(f.todo, below+"  ", width) + "\n"
	}
	return out
}

// narrowFindings is the width in cells below which a column beside the areas is too narrow to read.
const narrowFindings = 60

// noVault says why there is no vault: the one that was named is none, or none was named.
func noVault(cfg *config.Config, err error) finding {
	if cfg.Vault.V != "" {
		if _, bad := errors.AsType[config.Errors](err); bad { // they come first, and say nothing of the folder
			_, err = config.FindVault(config.Search{Given: cfg.Vault.V, GivenBy: cfg.Vault.Origin})
		}
		if err != nil {
			text, todo, _ := strings.Cut(err.Error(), "; ")
			todo = cmp.Or(todo, "name another with --vault DIR")
			return finding{area: "vault", text: text, todo: todo}
		}
	}
	return finding{
		area: "vault", text: "none found", why: "A vault is the folder that holds your notes: chatvault works on nothing else.",
		todo: "name one: chatvault --vault DIR",
	}.plain()
}

func checkConfig(cfg *config.Config, err error) []finding {
	var out []finding
	if bad, ok := errors.AsType[config.Errors](err); ok {
		for _, e := range bad {
			out = append(out, finding{
				area: "configuration", text: e.Error(), bare: refusedKey(cfg, e), why: "Until it is fixed neither the chat nor ask starts.",
				todo: mendAt(e.Origin) + "; chatvault config show tells where each value comes from",
			})
		}
	} else {
		files := "defaults only"
		if len(cfg.Files) > 0 {
			files = strings.Join(cfg.Files, ", ")
		}
		out = append(out, finding{area: "configuration", text: files, bare: text.Count(len(cfg.Files), "file") + " read"})
	}
	for _, w := range cfg.Warnings {
		said, todo, ok := strings.Cut(w, "; ")
		if !ok {
			said, todo = w, "fix what it names; the rest is in effect meanwhile"
		}
		out = append(out, finding{area: "configuration", text: said, todo: todo, warn: true})
	}
	return out
}

// mendAt says what is to be mended where a value came from.
func mendAt(o config.Origin) string {
	switch o.Kind {
	case config.Flag:
		return "fix what is given with the flag --" + o.Name
	case config.Environment:
		return "fix the variable " + o.Name
	}
	return "fix that line"
}

// checkRouting looks at what is configured of SmartHole, where anything is.
func checkRouting(cfg *config.Config) []finding {
	if cfg == nil || !cfg.SmartHole.Enabled.V && !cfg.SmartHole.URL.Set() && !cfg.SmartHole.Name.Set() && !cfg.SmartHole.Description.Set() && !cfg.SmartHole.Token.Set() {
		return nil
	}
	c := cfg.SmartHole
	url := cmp.Or(c.URL.V, smarthole.DefaultURL)
	if err := session.CheckSmartHole(c, url, cmp.Or(c.Description.V, "-")); err != nil {
		return []finding{{area: "smarthole", text: "no messages can be routed here", bare: "no messages can be routed here", why: err.Error(), todo: "correct the setting"}}
	}
	if !cfg.Offline.V {
		if why := smarthole.Untrusted(url, c.Token.V.Reveal()); why != "" {
			return []finding{{area: "smarthole", text: "messages from " + url + " are not accepted", bare: "messages are not accepted", why: why, todo: "end that program, or start SmartHole as yourself; then run chatvault doctor again"}}
		}
	}
	return nil
}
