// Package man writes manual pages of commands, in the language of man(7).
package man

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"chatvault/internal/text"
)

// Name returns the name of a command's page, without its section.
func Name(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// Shown reports whether a command has a page: those listed by help do, except pages of the guide.
func Shown(c *cobra.Command) bool {
	return c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand()
}

// Page writes the page of a command. Its date is SOURCE_DATE_EPOCH if set, else today.
func Page(w io.Writer, c *cobra.Command, source string) error {
	c.InitDefaultHelpFlag()
	p := &page{}
	p.line(".TH %s 1 %s %s", quoted(strings.ToUpper(Name(c))), quoted(day().Format(time.DateOnly)), quoted(source))
	p.line(".nh") // do not hyphenate command names
	p.section("NAME")
	p.line(`%s \- %s`, escaped(Name(c)), escaped(c.Short))
	p.section("SYNOPSIS")
	name, rest, _ := strings.Cut(strings.TrimPrefix(c.UseLine(), parents(c)), " ")
	p.line(`\fB%s%s\fR %s`, escaped(parents(c)), escaped(name), escaped(rest))
	if c.Long != "" {
		p.section("DESCRIPTION")
		p.prose(c.Long)
	}
	if subs := below(c); len(subs) > 0 {
		p.section("COMMANDS")
		for _, sub := range subs {
			p.tagged(`\fB`+escaped(sub.Name())+`\fR`, sub.Short)
		}
	}
	p.flags("OPTIONS", c.NonInheritedFlags())
	p.flags("GLOBAL OPTIONS", c.InheritedFlags())
	if c.Example != "" {
		p.section("EXAMPLES")
		p.line(".nf")
		for line := range strings.SplitSeq(strings.Trim(c.Example, "\n"), "\n") {
			p.text(strings.TrimPrefix(line, "  "))
		}
		p.line(".fi")
	}
	p.seeAlso(c)
	_, err := io.WriteString(w, p.String())
	return err
}

func day() time.Time {
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC()
	}
	return time.Now()
}

// parents returns the commands before a command's own name.
func parents(c *cobra.Command) string {
	return strings.TrimSuffix(c.CommandPath(), c.Name())
}

func below(c *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(sub *cobra.Command) bool { return !Shown(sub) })
}

type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// section starts a section.
func (p *page) section(title string) { p.line(".SH %s", title) }

// text writes a line without requests.
func (p *page) text(line string) { p.line("%s", escaped(line)) }

// prose writes text in paragraphs.
func (p *page) prose(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			p.line(".PP")
		}
		for line := range strings.SplitSeq(strings.TrimSpace(paragraph), "\n") {
			p.text(strings.TrimSpace(line))
		}
	}
}

func (p *page) tagged(tag, text string) {
	p.line(".TP")
	p.line("%s", tag)
	p.prose(text)
}

func (p *page) flags(title string, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	p.section(title)
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		tag := `\fB` + escaped("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			tag = `\fB` + escaped("-"+f.Shorthand) + `\fR, ` + tag
		}
		kind, usage := pflag.UnquoteUsage(f)
		switch {
		case kind == "":
		case f.NoOptDefVal != "":
			tag += `[=\fI` + escaped(kind) + `\fR]`
		default:
			tag += ` \fI` + escaped(kind) + `\fR`
		}
		switch f.DefValue {
		case "", "false", "0", "[]":
		default:
			usage += " (default: " + f.DefValue + ")"
		}
		p.tagged(tag, usage)
	})
}

// seeAlso refers to the pages of the parent and the sub-commands.
func (p *page) seeAlso(c *cobra.Command) {
	var names []string
	if c.HasParent() {
		names = append(names, Name(c.Parent()))
	}
	names = append(names, text.Of(below(c), Name)...)
	if len(names) == 0 {
		return
	}
	p.section("SEE ALSO")
	for i, name := range names {
		comma := ","
		if i == len(names)-1 {
			comma = ""
		}
		p.line(`.BR %s (1)%s`, escaped(name), comma)
	}
}

// letters escapes characters that would be typeset differently or read as commands.
var letters = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// escaped returns literal text on one line.
func escaped(text string) string {
	text = letters.Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// quoted returns an argument of a page's head, which is not typeset.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`"`, `\(dq`, `\`, `\e`).Replace(text) + `"`
}
