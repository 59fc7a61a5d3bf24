// Package doctor checks vault, configuration, provider and terminal, and suggests fixes. Each finding is a line: ok,
// a note, or a failure.
package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/app/smarthole"
	"chatvault/internal/base/terminal/output"
)

// finding is a line of doctor's output.
type finding struct {
	area string
	text string // the cause on a line of its own
	todo string // suggested fix; empty if ok
	warn bool   // worth fixing, but not a failure
}

// findings are the result of a check.
type findings []finding

// ok returns a finding without anything to fix.
func ok(area, format string, args ...any) findings {
	return findings{{area: area, text: fmt.Sprintf(format, args...)}}
}

// note returns a finding of something worth fixing.
func note(area, todo, format string, args ...any) findings {
	return findings{{area: area, text: fmt.Sprintf(format, args...), todo: todo, warn: true}}
}

// fail returns a finding of something that does not work.
func fail(area, todo, format string, args ...any) findings {
	return findings{{area: area, text: fmt.Sprintf(format, args...), todo: todo}}
}

// Options are the inputs of doctor.
type Options struct {
	Out          *output.Writer
	InIsTerminal bool
	LookupEnv    func(string) (string, bool)
	Sources      config.Sources
	Version      string // of the program
}

func (o Options) getenv(name string) string {
	value, _ := o.LookupEnv(name)
	return value
}

// look runs all checks.
func look(o Options) findings {
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
	program := ok("program", "chatvault %s (%s, %s/%s)", o.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return slices.Concat(program, checkConfig(cfg, err), checkKeys(o), place, model, checkRouting(cfg), checkTerminal(o))
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
	well, width := true, 0
	if o.Out.IsTerminal() {
		width = o.Out.Width()
	}
	for _, f := range look(o) {
		f.text, f.todo = o.Out.Text(f.text), o.Out.Text(f.todo)
		well = well && f.mark() != "FAIL"
		fmt.Fprint(o.Out, f.lines(width))
	}
	return well
}

// lines formats a finding: its text, and its fix aligned below, each line terminated. Lines wrap at width
// cells; zero means they do not.
func (f finding) lines(width int) string {
	begin := fmt.Sprintf("%s  %-13s ", f.mark(), f.area)
	below := strings.Repeat(" ", len(begin))
	out := begin + output.Hang(f.text, below, width) + "\n"
	if f.todo != "" {
		out += below + "→ " + output.Hang(f.todo, below+"  ", width) + "\n"
	}
	return out
}

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
	return fail("vault", "name one: chatvault --vault DIR", "none found\nA vault is the folder that holds your notes: chatvault works on nothing else.")
}

func checkConfig(cfg *config.Config, err error) (out findings) {
	const area, todo = "configuration", "fix what it names; chatvault config show tells where each value comes from"
	bad, refused := errors.AsType[config.Errors](err)
	for _, e := range bad {
		out = append(out, fail(area, todo, "%s\nUntil it is fixed neither the chat nor ask starts.", e.Error())...)
	}
	if !refused {
		out = ok(area, "%s", cmp.Or(strings.Join(cfg.Files, ", "), "defaults only"))
	}
	for _, w := range cfg.Warnings {
		said, better, _ := strings.Cut(w, "; ")
		out = append(out, note(area, cmp.Or(better, todo), "%s", said)...)
	}
	return out
}

// checkRouting checks the SmartHole settings if there are any.
func checkRouting(cfg *config.Config) findings {
	c := cfg.SmartHole
	if !c.Enabled.V && !c.URL.Set() && !c.Name.Set() && !c.Description.Set() && !c.Token.Set() {
		return nil
	}
	if err := session.CheckSmartHole(c, cmp.Or(c.URL.V, smarthole.DefaultURL)); err != nil {
		return fail("smarthole", "correct the setting", "no messages can be routed here\n%s", err)
	}
	return nil
}
