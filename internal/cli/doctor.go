package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chatvault/agent"
	"chatvault/agent/llm"
	"chatvault/agent/llm/openai"
	"chatvault/internal/config"
	"chatvault/vault"
)

// finding is one line of doctor: ok, or what to do.
type finding struct {
	area string
	text string
	why  string // what went wrong, in the words of what did; empty: text says it
	todo string // empty: ok
	warn bool   // worth doing, but nothing is broken
}

func newDoctor(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check vault, configuration, provider and terminal; say what to do", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runDoctor(s, g) },
	}
}

func runDoctor(s Streams, g *globals) error {
	var all []finding
	cfg, found, err := config.Open(g.sources(s), config.Search{})
	all = append(all, checkConfig(cfg, err)...)
	if found.Dir != "" {
		all = append(all, checkVault(found)...)
	} else if err != nil {
		all = append(all, noVault(cfg, err))
	}
	all = append(all, checkProvider(s, cfg)...)
	all = append(all, checkTerminal(s)...)
	bad := 0
	for _, f := range all {
		mark := "ok  "
		switch {
		case f.todo != "" && f.warn:
			mark = "note"
		case f.todo != "":
			mark = "FAIL"
			bad++
		}
		fmt.Fprint(s.Out, s.safeOut(f.lines(mark)))
	}
	if bad > 0 {
		return &exitError{exitFailed, ""}
	}
	return nil
}

// lines are the finding as it is printed: its text, and aligned below it why and what to do,
// each line ended.
func (f finding) lines(mark string) string {
	const below = "                    " // under the text
	out := fmt.Sprintf("%s  %-13s %s\n", mark, f.area, hang(f.text, below))
	if f.why != "" {
		out += below + hang(f.why, below) + "\n"
	}
	if f.todo != "" {
		out += below + "→ " + hang(f.todo, below+"  ") + "\n"
	}
	return out
}

// hang begins each further line of a text with spaces.
func hang(text, spaces string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+spaces)
}

// noVault says why there is no vault: the one that was named is none, or none was named.
func noVault(cfg *config.Config, err error) finding {
	var bad config.Errors
	if cfg.Vault.V != "" {
		if errors.As(err, &bad) { // they come first, and say nothing of the folder
			_, err = config.FindVault(config.Search{Given: cfg.Vault.V, GivenBy: cfg.Vault.Origin})
		}
		if err != nil {
			text, todo, _ := strings.Cut(err.Error(), "; ")
			if todo == "" {
				todo = "name another with --vault DIR"
			}
			return finding{area: "vault", text: text, todo: todo}
		}
	}
	return finding{area: "vault", text: "none found", todo: "name one: chatvault --vault DIR"}
}

func checkConfig(cfg *config.Config, err error) []finding {
	var out []finding
	var bad config.Errors
	if errors.As(err, &bad) {
		for _, e := range bad {
			out = append(out, finding{area: "configuration", text: e.Error(), todo: "mend that line; chatvault config show tells where each value comes from"})
		}
	} else {
		files := "defaults only"
		if len(cfg.Files) > 0 {
			files = strings.Join(cfg.Files, ", ")
		}
		out = append(out, finding{area: "configuration", text: files})
	}
	for _, w := range cfg.Warnings {
		out = append(out, finding{area: "configuration", text: w, todo: "see above", warn: true})
	}
	return out
}

func checkVault(found config.Found) []finding {
	v, err := vault.Open(found.Dir)
	if err != nil {
		return []finding{{area: "vault", text: err.Error(), todo: "name another: chatvault --vault DIR"}}
	}
	defer func() { _ = v.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	shape, err := v.Shape(ctx, 1_000_000, 0)
	if err != nil {
		return []finding{{area: "vault", text: found.Dir + ": " + err.Error(), todo: "make the folder readable, or name another: chatvault --vault DIR"}}
	}
	more := ""
	if !shape.Complete {
		more = " or more"
	}
	out := []finding{{area: "vault", text: fmt.Sprintf("%s (%s): %s%s in %s", found.Dir, found.How, count(shape.Notes, "note"), more, count(shape.Folders, "folder"))}}
	return append(out, checkState(found.Dir)...)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// checkState leaves no state folder behind where there was none.
func checkState(dir string) []finding {
	state := filepath.Join(dir, stateFolder)
	if _, err := os.Lstat(state); errors.Is(err, fs.ErrNotExist) {
		defer func() { _ = os.Remove(state) }() // it is empty again by then
	}
	root, err := openState(dir)
	if err != nil {
		return []finding{{area: "state", text: firstLine(err.Error()), todo: "make the vault's folder writable; without it no message can be kept safe"}}
	}
	defer func() { _ = root.Close() }()
	probe := ".doctor"
	if err := root.WriteFile(probe, []byte("x"), 0o600); err != nil {
		return []finding{{area: "state", text: "cannot write: " + err.Error(), todo: "free disk space or make " + filepath.Join(dir, stateFolder) + " writable"}}
	}
	_ = root.Remove(probe)
	out := []finding{{area: "state", text: filepath.Join(dir, stateFolder) + " is writable"}}
	box := agent.NewInbox(root)
	list, warnings, err := box.List()
	for _, w := range warnings {
		out = append(out, finding{area: "inbox", text: w, todo: "look at the file; nothing in it was lost", warn: true})
	}
	waiting := 0
	for _, e := range list {
		if !box.Owned(e) {
			waiting++
		}
	}
	switch {
	case err != nil:
		out = append(out, finding{area: "inbox", text: err.Error(), todo: "make " + filepath.Join(dir, stateFolder, "inbox") + " readable"})
	case waiting > 0:
		out = append(out, finding{area: "inbox", text: fmt.Sprintf("%d unfinished", waiting), todo: "chatvault inbox list, then retry or drop", warn: true})
	default:
		out = append(out, finding{area: "inbox", text: "nothing unfinished"})
	}
	return out
}

func checkProvider(s Streams, cfg *config.Config) []finding {
	c, err := choose(cfg, s.LookupEnv)
	if err != nil {
		return []finding{{area: "provider", text: firstLine(err.Error()), todo: "mend model or providers in " + config.UserPath()}}
	}
	f := finder{cfg: cfg, lookupEnv: s.LookupEnv, log: discard()}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	switch {
	case c.endpoint != nil:
		return []finding{f.reach(ctx, *c.endpoint)}
	case c.probe:
		if p := f.local(ctx, c.model); p != nil {
			return []finding{{area: "provider", text: p.Name() + " (a local server that answers)"}}
		}
		if c.model != "" {
			return []finding{{
				area: "provider", text: fmt.Sprintf("the model %q was asked for (%s), but %s, and no local server answers on 11434, 1234, 8080", c.model, cfg.Model.Origin, c.why),
				todo: "set the key of its provider, name it as provider/model, or configure it under [providers] in " + config.UserPath(),
			}}
		}
		return []finding{{
			area: "provider", text: "offline engine (" + c.why + "; no local server answers on 11434, 1234, 8080)",
			todo: "for a language model: set OPENAI_API_KEY or another provider's key, start Ollama, or run chatvault config init", warn: true,
		}}
	default:
		return []finding{{area: "provider", text: "offline engine (" + c.why + ")"}}
	}
}

// reach asks an endpoint for its models: the cheapest request that needs the key.
func (f finder) reach(ctx context.Context, e endpoint) finding {
	name := e.name + "/" + e.model
	p, err := f.lister(ctx, e)
	if err == nil {
		var models []openai.Model
		if models, err = p.ListModels(ctx); err == nil {
			text := fmt.Sprintf("%s at %s answers (%s)", strings.TrimSuffix(name, "/"), e.baseURL, e.why)
			if e.model != "" && len(models) > 0 && !contains(models, e.model) {
				return finding{area: "provider", text: text, todo: fmt.Sprintf("it does not list the model %q; it lists %s", e.model, some(models, 5)), warn: true}
			}
			return finding{area: "provider", text: text}
		}
	}
	failed := llm.AsError(err)
	why := failed.Message
	if why == "" {
		why = failed.Error()
	}
	return finding{
		area: "provider", text: fmt.Sprintf("%s at %s does not answer as it should (%s)", strings.TrimSuffix(name, "/"), e.baseURL, e.why),
		why: firstLine(why), todo: advice(failed, e),
	}
}

// advice is what to do so that an endpoint answers. Unlike llm.UserText it speaks of no
// message: none was sent.
func advice(err *llm.Error, e endpoint) string {
	const again = ";\nthen run chatvault doctor again"
	switch err.Reason {
	case llm.ReasonQuota:
		return "add credit or raise the limit at the provider, or choose another provider"
	case llm.ReasonModelNotFound:
		return "choose a model the provider has, with --model or model in " + config.UserPath()
	case llm.ReasonCertificate:
		return "check base_url, the clock of this machine and its certificates; a proxy may be in between"
	case llm.ReasonNotAnAPI:
		return "check base_url (most end in /v1), and whether a proxy or a login page is in between"
	}
	switch err.Kind {
	case llm.KindAuth:
		if name := openai.KeyEnv(e.name, e.baseURL); name != "" {
			return "set the key in " + name + ",\nor say where it is with api_key_env or api_key_command in " + config.UserPath()
		}
		return "say where the key is with api_key_env or api_key_command in " + config.UserPath()
	case llm.KindRateLimit:
		return "it is reached and busy: wait a minute" + again
	case llm.KindInvalidRequest:
		return "mend the settings of this provider in " + config.UserPath()
	}
	if err.Status != 0 {
		return "the provider has a fault: wait a minute" + again
	}
	return "check base_url, and that the server runs and this machine is connected" + again
}

func contains(list []openai.Model, s string) bool {
	for _, m := range list {
		if m.ID == s || strings.TrimPrefix(m.ID, "models/") == s {
			return true
		}
	}
	return false
}

func some(list []openai.Model, n int) string {
	var ids []string
	for _, m := range list[:min(n, len(list))] {
		ids = append(ids, m.ID)
	}
	text := strings.Join(ids, ", ")
	if more := len(list) - len(ids); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func checkTerminal(s Streams) []finding {
	if !s.InIsTerminal || !s.OutIsTerminal {
		return []finding{{area: "terminal", text: "standard input or output is no terminal", todo: "the chat needs one; chatvault ask works without", warn: true}}
	}
	name := os.Getenv("TERM")
	if name == "" || name == "dumb" {
		return []finding{{area: "terminal", text: fmt.Sprintf("TERM is %q", name), todo: "set TERM to what your terminal is, such as xterm-256color"}}
	}
	return []finding{{area: "terminal", text: name}}
}
