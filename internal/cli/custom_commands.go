package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/session"
	"chatvault/internal/session/home"
	"chatvault/internal/slash"
	"chatvault/internal/statefile"
	"chatvault/internal/trust"
)

// maxCommands bounds how many commands a vault has of its own.
const maxCommands = 200

// ownCommands reads the vault's own commands, by their names. Faults are sentences about files that
// make none, unused such about files that nobody agreed to. What is no Markdown file is left alone.
func ownCommands(vault *os.Root, agreed func(file string, data []byte) bool) (list []slash.Command, faults, unused []string, err error) {
	entries, err := statefile.List(vault, trust.Commands)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	files := map[string]string{} // by the command's name
	for _, e := range entries {
		file := e.Name() // made safe where it is shown
		name, isNote := strings.TrimSuffix(file, filepath.Ext(file)), strings.EqualFold(filepath.Ext(file), ".md")
		if e.IsDir() && !strings.HasPrefix(file, ".") && holdsCommand(vault, file) {
			faults = append(faults, fmt.Sprintf("%s/ makes no commands: their files lie in %s itself; move them there.", inState(file), inState("")))
		}
		if !isNote || strings.HasPrefix(file, ".") || e.IsDir() {
			continue
		}
		if len(list) == maxCommands {
			faults = append(faults, fmt.Sprintf("%s holds more than %d commands; those from %s on are left out.", inState(""), maxCommands, file))
			break
		}
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%s is no command: %s.", inState(file), fmt.Sprintf(format, args...)))
		}
		if builtIn := builtInNamed(name); builtIn != "" {
			fault("/%s is the chat's own, which it would hide; give the file another name than %s, such as my-%s", builtIn, file, file)
			continue
		}
		if other, taken := files[strings.ToLower(name)]; taken {
			fault("%s is called /%s already", other, strings.ToLower(name))
			continue
		}
		data, err := statefile.Read(vault, trust.Commands+"/"+file, slash.MaxFile)
		switch {
		case errors.Is(err, statefile.ErrTooLarge):
			fault("it is longer than %d KB", slash.MaxFile>>10)
			continue
		case errors.Is(err, statefile.ErrNotFile):
			fault("it cannot be read: it is no file")
			continue
		case err != nil:
			fault("it cannot be read: %v", withoutPath(err))
			continue
		case !agreed(trust.Commands+"/"+file, data):
			unused = append(unused, fmt.Sprintf("%s is not used until you agree to it: chatvault trust shows it.", inState(file)))
			continue
		}
		c, err := slash.Parse(name, data)
		if err != nil {
			fault("%v", err)
			continue
		}
		files[c.Name] = file
		list = append(list, c)
	}
	return list, faults, unused, nil
}

// holdsCommand says whether a folder among the commands holds what would be one.
func holdsCommand(vault *os.Root, folder string) bool {
	entries, err := statefile.List(vault, trust.Commands+"/"+folder)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(filepath.Ext(e.Name()), ".md") })
}

// faultOf is the fault of the file that would make a command of a name; empty: there is none.
func faultOf(name string, faults []string) string {
	for _, f := range faults {
		if strings.HasPrefix(norm.NFC.String(strings.ToLower(f)), inState(name+".md")+" ") {
			return f
		}
	}
	return ""
}

// inState names a file of a command as a person finds it.
func inState(file string) string {
	return strings.TrimSuffix(trust.Commands+"/"+file, "/")
}

// builtInNamed is the chat's own command of a name; empty: there is none.
func builtInNamed(name string) string {
	name = strings.ToLower(name)
	if slices.Contains(session.CommandNames(session.Commands()), name) {
		return name
	}
	return ""
}

// withoutPath leaves the path out of a file error: it is named beside it.
func withoutPath(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// custom are the vault's own commands as the chat has them.
func (a *app) custom(context.Context) (session.Custom, error) {
	return customOf(a.own, a.answers.Agreed)
}

func customOf(vault *os.Root, agreed func(file string, data []byte) bool) (session.Custom, error) {
	list, faults, unused, err := ownCommands(vault, agreed)
	out := session.Custom{Faults: faults, FaultOf: func(name string) string { return faultOf(name, slices.Concat(faults, unused)) }}
	for _, c := range list {
		out.Commands = append(out.Commands, session.Command{
			Name: c.Name, Args: c.Usage(), Does: c.Does, Needs: c.Least() > 0, Expand: c.Expand,
		})
	}
	return out, err
}

// expandSlash makes the message of a prompt that is one of the vault's own commands; one that is no
// command stays as it is. What is a command of the chat, or meant for one, would cost a model call and
// do nothing: it is an error.
func expandSlash(s Streams, g *globals, table []session.Command, prompt string) (string, error) {
	name, _, isCommand := session.CutCommand(prompt)
	if !isCommand {
		return prompt, nil
	}
	if slices.Contains(session.CommandNames(table), name) {
		return "", usageError("%s", session.InAsk(prompt, table, nil))
	}
	own, err := ownOf(s, g)
	if err != nil {
		return "", err
	}
	switch t := session.ParseTyped(prompt, own.Commands); {
	case t.Command != nil:
		r := t.Command.Do(session.Call{Words: t.Words})
		if r.Err != nil {
			return "", usageError("%v", r.Err)
		}
		return r.Send.Text, nil
	case slices.Contains(session.CommandNames(own.Commands), name):
		return "", usageError("%s", t.Hint)
	case own.FaultOf(name) != "":
		return "", usageError("%s", own.FaultOf(name))
	}
	return "", usageError("%s", session.InAsk(prompt, table, own.Commands))
}

// ownOf reads the vault's own commands where no vault is open.
func ownOf(s Streams, g *globals) (session.Custom, error) {
	none := session.Custom{FaultOf: func(string) string { return "" }}
	_, dir, err := loadConfig(s, g)
	if err != nil {
		return none, err
	}
	own, err := os.OpenRoot(dir)
	if err != nil {
		return none, nil //nolint:nilerr // opening the vault tells why
	}
	defer func() { _ = own.Close() }()
	answers, done, err := home.AnswersFor(dir)
	defer done()
	if err != nil {
		fmt.Fprintln(s.Err, "Warning: "+err.Error())
	}
	custom, err := customOf(own, answers.Agreed)
	if err != nil {
		return none, failure("%s cannot be read: %v", inState(""), withoutPath(err))
	}
	return custom, nil
}
