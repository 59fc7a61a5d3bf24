// Package doctor checks vault, configuration, provider and terminal, and suggests fixes. Each finding is a line: ok,
// a note, or a failure.
package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/home"
	"chatvault/internal/app/smarthole"
	"chatvault/internal/base/terminal/output"
	"chatvault/internal/base/text"
)

// words are the program's own text: constants, and what is made of them and of numbers. A string that may hold a name
// is never converted to words.
type words string

// finding is a line of doctor's output.
type finding struct {
	area string
	text words  // a format for args
	args []any  // a report withholds all but numbers and words
	why  string // the cause, in the failing part's words; empty if text or err has it
	err  error  // the cause; a report has its kind
	todo string // suggested fix; empty if ok
	warn bool   // worth fixing, but not a failure
}

// findings are the result of a check.
type findings []finding

// ok returns a finding without anything to fix.
func ok(area string, text words, args ...any) findings {
	return findings{{area: area, text: text, args: args}}
}

// note returns a finding of something worth fixing.
func note(area, todo string, text words, args ...any) findings {
	return findings{{area: area, text: text, args: args, todo: todo, warn: true}}
}

// fail returns a finding of something that does not work.
func fail(area, todo string, text words, args ...any) findings {
	return findings{{area: area, text: text, args: args, todo: todo}}
}

// because sets the cause of a single finding.
func (f findings) because(why string) findings {
	f[0].why = why
	return f
}

// Options are the inputs of doctor.
type Options struct {
	Out          *output.Writer
	InIsTerminal bool
	LookupEnv    func(string) (string, bool)
	Sources      config.Sources
}

func (o Options) getenv(name string) string {
	value, _ := o.LookupEnv(name)
	return value
}

// withheld stands for a name in a report.
const withheld = "…"

// plain returns the finding with its text formatted and, without names, its cause and fix left out.
func (f finding) plain(names bool) finding {
	args := slices.Clone(f.args)
	for i, arg := range args {
		switch v := arg.(type) {
		case words, int, float64:
		case error:
			args[i] = cause(v, names)
		default:
			if !names {
				args[i] = withheld
			}
		}
	}
	f.text, f.args = words(fmt.Sprintf(string(f.text), args...)), nil
	if !names {
		f.why, f.todo = "", ""
	}
	if f.err != nil {
		f.why = cause(f.err, names)
	}
	return f
}

// cause returns an error's first line or, without names, its kind.
func cause(err error, names bool) string {
	if names {
		return text.FirstLine(llm.Words(err))
	}
	return cmp.Or(home.ErrorKind(err), withheld)
}

// count describes a number of things.
func count(n int, what string) words { return words(text.Count(n, what)) }

// look runs all checks.
func look(o Options) (all findings, cfg *config.Config, dir string) {
	cfg, found, err := config.Open(o.Sources, config.Search{})
	var place, model findings
	if found.Dir != "" {
		place = checkVault(cfg, found)
	} else if err != nil {
		place = noVault(cfg, err)
	}
	if _, refused := errors.AsType[config.Errors](err); refused { // an invalid setting may have named the key's provider
		model = note("provider", "fix the configuration; then run chatvault doctor again",
			"not asked, since the configuration does not say for certain who would get the key")
	} else {
		model = checkProvider(o, cfg, o.Sources.UserFile)
	}
	return slices.Concat(checkConfig(cfg, err), checkKeyFiles(), place, model, checkRouting(cfg), checkTerminal(o, cfg)), cfg, found.Dir
}

// mark returns the severity of a finding.
func (f finding) mark() string {
	switch {
	case f.todo == "":
		return "ok  "
	case f.warn:
		return "note"
	}
	return "FAIL"
}

// Run runs all checks and prints the findings. It reports whether there was no failure.
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
		f = f.plain(true)
		f.text, f.why, f.todo = words(o.Out.Text(string(f.text))), o.Out.Text(f.why), o.Out.Text(f.todo)
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

// lines formats a finding: its text with cause and fix aligned below, each line terminated. Lines wrap at width
// cells; zero means they do not.
func (f finding) lines(mark string, width int) string {
	begin := fmt.Sprintf("%s  %-13s ", mark, f.area)
	below := strings.Repeat(" ", len(begin))
	if width > 0 && width < narrowFindings { // the text has its own line
		begin, below = fmt.Sprintf("%s  %s\n      ", mark, f.area), "      "
	}
	out := begin + output.Hang(string(f.text), below, width) + "\n"
	if f.why != "" {
		out += below + output.Hang(f.why, below, width) + "\n"
	}
	if f.todo != "" {
		out += below + "→ " + output.Hang(f.todo, below+"  ", width) + "\n"
	}
	return out
}

// narrowFindings is the width in cells below which a column next to the areas is too narrow to read.
const narrowFindings = 60

// noVault reports why there is no vault: the named one is invalid, or none was named.
func noVault(cfg *config.Config, err error) findings {
	if cfg.Vault.V != "" {
		if _, bad := errors.AsType[config.Errors](err); bad { // reported first, and unrelated to the folder
			_, err = config.FindVault(config.Search{Given: cfg.Vault.V, GivenBy: cfg.Vault.Origin})
		}
		if err != nil {
			said, todo, _ := strings.Cut(err.Error(), "; ")
			return fail("vault", cmp.Or(todo, "name another with --vault DIR"), "%s", said)
		}
	}
	return fail("vault", "name one: chatvault --vault DIR", "none found").
		because("A vault is the folder that holds your notes: chatvault works on nothing else.")
}

func checkConfig(cfg *config.Config, err error) (out findings) {
	const area = "configuration"
	bad, refused := errors.AsType[config.Errors](err)
	for _, e := range bad {
		out = append(out, fail(area, fixAt(e.Origin)+"; chatvault config show tells where each value comes from", "%s", e.Error()).
			because("Until it is fixed neither the chat nor ask starts.")...)
	}
	switch {
	case refused:
	case len(cfg.Files) > 0:
		out = ok(area, "%s", strings.Join(cfg.Files, ", "))
	default:
		out = ok(area, "defaults only")
	}
	for _, w := range cfg.Warnings {
		said, todo, _ := strings.Cut(w, "; ")
		out = append(out, note(area, cmp.Or(todo, "fix what it names; the rest is in effect meanwhile"), "%s", said)...)
	}
	return out
}

// fixAt suggests where to fix a value by its origin.
func fixAt(o config.Origin) string {
	switch o.Kind {
	case config.Flag:
		return "fix what is given with the flag --" + o.Name
	case config.Environment:
		return "fix the variable " + o.Name
	}
	return "fix that line"
}

// checkRouting checks the SmartHole settings if there are any.
func checkRouting(cfg *config.Config) findings {
	c := cfg.SmartHole
	if !c.Enabled.V && !c.URL.Set() && !c.Name.Set() && !c.Description.Set() && !c.Token.Set() {
		return nil
	}
	url := cmp.Or(c.URL.V, smarthole.DefaultURL)
	if err := session.CheckSmartHole(c, url); err != nil {
		return fail("smarthole", "correct the setting", "no messages can be routed here").because(err.Error())
	}
	if why := smarthole.Untrusted(url, c.Token.V.Reveal()); why != "" && !cfg.Offline.V {
		return fail("smarthole", "end that program, or start SmartHole as yourself; then run chatvault doctor again", "messages from %s are not accepted", url).
			because(why)
	}
	return nil
}
