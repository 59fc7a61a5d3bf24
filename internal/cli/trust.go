package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chatvault/agent/carryover"
	"chatvault/agent/inbox"
	"chatvault/conversation"
	"chatvault/internal/config"
	"chatvault/internal/consent"
	"chatvault/internal/session"
	"chatvault/internal/session/home"
	"chatvault/internal/session/telling"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
	"chatvault/internal/trust"
	"chatvault/vault"
)

func newTrust(s Streams, g *globals) *cobra.Command {
	var yes, revoke bool
	c := &cobra.Command{
		Use: "trust", Short: "See what a vault brings that steers the agent, and agree to it",
		Long: `A vault can come from anyone, so what it brings counts only after you agreed: the
instructions in AGENTS.md (or CLAUDE.md), the skills in .agents/skills and .claude/skills, and
the model, the prompts, the commands and the other settings in its .smarthole folder. This
command shows all of it whole and asks. Your answer is kept with you, and asked for again when a file changes.`,
		Example: `  chatvault trust
  chatvault trust --revoke
  chatvault trust adopt`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runTrust(s, g, yes, revoke) },
	}
	c.Flags().BoolVar(&yes, "yes", false, "agree to all of it without being asked")
	c.Flags().BoolVar(&revoke, "revoke", false, "revoke your agreement")
	c.AddCommand(newAdopt(s, g))
	return c
}

func runTrust(s Streams, g *globals, yes, revoke bool) error {
	cfg, found, err := config.Open(g.sources(s), config.Search{})
	var wrong config.Errors
	if err != nil && (!errors.As(err, &wrong) || found.Dir == "") { // a faulty file does not prevent revoking
		return usageError("%v", err)
	}
	dir := found.Dir
	state, err := home.Open(dir)
	if err != nil {
		return failure("%v", err)
	}
	defer func() { _ = state.Close() }()
	answers, err := trust.Load(state)
	if err != nil {
		s.warn(err.Error())
	}
	if revoke {
		return revokeTrust(s, answers)
	}
	own, err := os.OpenRoot(dir)
	if err != nil {
		return failure("%v", err)
	}
	defer func() { _ = own.Close() }()
	b, err := session.LookAtBrought(cfg, own, answers)
	if err != nil {
		return failure("%v", err)
	}
	src := g.sources(s)
	src.VaultDir, src.Agreed = dir, func(string, string, []byte) bool { return true }
	if _, err := config.Load(src); errors.As(err, &wrong) {
		return usageError("with these settings nothing would start, so you cannot agree to them:\n%v", wrong)
	}
	return askTrust(s, b, answers, yes)
}

func revokeTrust(s Streams, answers *trust.Answers) error {
	if !answers.Any() {
		return s.say("You have agreed to nothing in this vault.")
	}
	if err := answers.Forget(); err != nil {
		return failure("%v", err)
	}
	return s.say("Revoked: nothing in this vault steers the agent any more.")
}

// askTrust shows everything without consent in full and records the answer.
func askTrust(s Streams, b session.Brought, answers *trust.Answers, yes bool) error {
	files, _ := b.NotAgreed(answers)
	for _, f := range b.Files {
		if f.Why != "" {
			s.warn(f.Name + " cannot be used: " + f.Why)
		}
	}
	b.Files = slices.DeleteFunc(b.Files, func(f trust.File) bool { return f.Why != "" })
	if len(files) == 0 {
		text := "This vault brings nothing that you would have to agree to."
		if len(b.Files) > 0 {
			text = "You have agreed to everything that this vault brings: " + b.Describe(b.Files) + "."
		}
		return s.say(text)
	}
	fmt.Fprintln(s.Out, "This vault brings "+b.DescribeAll(files)+".")
	if len(b.Keys) > 0 {
		fmt.Fprintln(s.Out, "Not used so far: "+strings.Join(b.Keys, ", ")+".")
	}
	for _, f := range files {
		fmt.Fprint(s.Out, session.ShownWhole(f))
	}
	fmt.Fprintln(s.Out)
	if !yes {
		if !s.attended() {
			return failure("nothing was agreed to: there is nobody to ask. On a terminal: chatvault trust; without being asked: chatvault trust --yes")
		}
		if agreed, _ := s.confirmed(s.Out, "Let all of this steer the agent in this vault? [y/N] "); !agreed {
			if err := answers.Keep(files, false); err != nil {
				return failure("the answer could not be saved: %v", err)
			}
			return s.say("It stays unused, and you are not asked again until it changes.")
		}
	}
	if err := answers.Keep(files, true); err != nil {
		return failure("the answer could not be saved: %v", err)
	}
	return s.say("Agreed: " + b.Describe(files) + ". In a chat " + session.Counts(files) + "; to undo this: chatvault trust --revoke.")
}

// confirmed asks on out; only a yes counts. It returns an error if no answer could be read.
func (s Streams) confirmed(out io.Writer, question string) (bool, error) {
	fmt.Fprint(out, question)
	answer, err := consent.NewInput(s.In).Line()
	if err != nil {
		fmt.Fprintln(out)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}

func newAdopt(s Streams, g *globals) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "adopt", Short: "Import the history that an older chatvault kept in the vault",
		Long: `An older chatvault kept what was said and what was changed in the vault's .smarthole folder.
This command shows what lies there, and after your yes imports the conversations as history to read.
Messages that were not finished and goals are shown and never imported; the record of changes is not
used, so they cannot be undone here. The files stay where they are.`,
		Example: "  chatvault trust adopt --vault ~/notes",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runAdopt(s, g, yes) },
	}
	c.Flags().BoolVar(&yes, "yes", false, "import it without being asked")
	return c
}

// foreignState is state in a vault's .smarthole.
type foreignState struct {
	root          *os.Root // of .smarthole
	conversations []*conversation.Conversation
	unfinished    []inbox.Entry
	goal          string
	faults        []string
}

func runAdopt(s Streams, g *globals, yes bool) error {
	v, cfg, err := openVault(s, g)
	if err != nil {
		return err
	}
	defer func() { _ = v.Close() }()
	f, err := readForeign(v, cfg)
	if err != nil {
		return failure("%v", err)
	}
	if f == nil || f.empty() {
		return s.say("There is nothing in this vault to import.")
	}
	defer func() { _ = f.root.Close() }()
	fmt.Fprint(s.Out, f.describe())
	if len(f.conversations) == 0 {
		return s.say("None of it is history, so nothing is imported.")
	}
	if !yes {
		if !s.attended() {
			return failure("nothing was imported: there is nobody to ask. On a terminal: chatvault trust adopt; without being asked: chatvault trust adopt --yes")
		}
		if agreed, _ := s.confirmed(s.Out, "Is this your own history? Import it? [y/N] "); !agreed {
			return s.say("Nothing was imported.")
		}
	}
	return f.adopt(s, v, cfg)
}

// readForeign reads the state in a vault without changing anything. It returns nil if there is none.
func readForeign(v *vault.Vault, cfg *config.Config) (*foreignState, error) {
	own, err := os.OpenRoot(v.Dir())
	if err != nil {
		return nil, err
	}
	defer func() { _ = own.Close() }()
	if left, err := home.LeftBehind(cfg, own); err != nil || len(left) == 0 {
		return nil, err
	}
	f := &foreignState{}
	if f.root, err = statefile.Folder(own, home.InVault); err != nil {
		return nil, err
	}
	now := time.Now()
	var faults []string
	if f.conversations, faults, err = conversation.Foreign(f.root, now); err != nil {
		faults = append(faults, err.Error())
	}
	f.faults = append(f.faults, faults...)
	f.unfinished, f.goal = carryover.Foreign(f.root)
	return f, nil
}

func (f *foreignState) empty() bool {
	return len(f.conversations)+len(f.unfinished) == 0 && f.goal == ""
}

const mostShown = 200

// describe lists the state.
func (f *foreignState) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "In %s:\n", f.root.Name())
	list := func(what string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s\n", what)
		for _, line := range lines[:min(len(lines), mostShown)] {
			fmt.Fprintf(&b, "  %s\n", oneLineOf(line))
		}
		if more := len(lines) - mostShown; more > 0 {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
	}
	list(count(len(f.conversations), "conversation")+":", text.Of(f.conversations, func(c *conversation.Conversation) string {
		return fmt.Sprintf("%s  %s (%s)", c.Started.Local().Format(telling.WhenLayout), excerpt(c.Entry().Name(), 60), count(len(c.Turns), "turn"))
	}))
	list(count(len(f.unfinished), "unfinished message")+", never imported:", text.Of(f.unfinished, func(e inbox.Entry) string { return excerpt(e.Text, 200) }))
	if f.goal != "" {
		fmt.Fprintf(&b, "\nA goal, never imported:\n  %s\n", excerpt(f.goal, 200))
	}
	list("What cannot be imported:", f.faults)
	b.WriteString("\n")
	return b.String()
}

// adopt imports the history.
func (f *foreignState) adopt(s Streams, v *vault.Vault, cfg *config.Config) error {
	history, err := home.OpenHistory(cfg, v.Dir(), true)
	if err != nil {
		return failure("%v", err)
	}
	defer func() { _ = history.Close() }()
	added, skipped, err := conversation.NewManager(history, conversation.Options{Warn: s.warn}).Import(f.conversations)
	if err != nil {
		return failure("%v", err)
	}
	said := "Imported: " + count(added, "conversation")
	if skipped > 0 {
		said += fmt.Sprintf("; %s %s there already", count(skipped, "conversation"), plural(skipped, "was", "were"))
	}
	fmt.Fprintln(s.Out, said+".")
	return s.say("The files in " + filepath.Clean(f.root.Name()) + " stay as they are and are not used; delete them when you do not need them there.")
}
