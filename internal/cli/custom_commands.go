package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/slash"
	"chatvault/tui"
)

// commandsFolder holds the vault's own commands, in the state folder.
const commandsFolder = "commands"

// maxCommands bounds how many commands a vault has of its own.
const maxCommands = 200

// ownCommands reads the vault's own commands, by their names. Faults are sentences about files that
// make none. What is no Markdown file is left alone.
func ownCommands(state *os.Root) (list []slash.Command, faults []string, err error) {
	dir, err := state.Open(commandsFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = dir.Close() }()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	files := map[string]string{} // by the command's name
	for _, e := range entries {
		file := e.Name() // made safe where it is shown
		name, isNote := strings.TrimSuffix(file, filepath.Ext(file)), strings.EqualFold(filepath.Ext(file), ".md")
		if e.IsDir() && !strings.HasPrefix(file, ".") && holdsCommand(state, file) {
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
		data, err := readCommand(state, file)
		if err != nil {
			fault("it cannot be read: %v", err)
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
	return list, faults, nil
}

// holdsCommand says whether a folder among the commands holds what would be one.
func holdsCommand(state *os.Root, folder string) bool {
	dir, err := state.Open(filepath.Join(commandsFolder, folder))
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(maxCommands)
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(filepath.Ext(name), ".md") })
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
	return strings.TrimSuffix(stateFolder+"/"+commandsFolder+"/"+file, "/")
}

// builtInNamed is the chat's own command of a name; empty: there is none.
func builtInNamed(name string) string {
	name = strings.ToLower(name)
	if slices.Contains(tui.CommandNames(), name) {
		return name
	}
	return ""
}

// readCommand reads a file of a command: a regular one, and no more of it than a command has.
func readCommand(state *os.Root, file string) ([]byte, error) {
	path := filepath.Join(commandsFolder, file)
	if info, err := state.Stat(path); err != nil {
		return nil, withoutPath(err)
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	f, err := state.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, slash.MaxFile+1))
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
func (a *app) custom(context.Context) (tui.Custom, error) {
	list, faults, err := ownCommands(a.state)
	out := tui.Custom{Faults: faults, FaultOf: func(name string) string { return faultOf(name, faults) }}
	for _, c := range list {
		out.Commands = append(out.Commands, tui.CustomCommand{
			Name: c.Name, Args: c.Usage(), Does: c.Does, Needs: c.Least() > 0, Expand: c.Expand,
		})
	}
	return out, err
}

// expandSlash makes the message of a prompt that is one of the vault's own commands; any other
// prompt stays as it is. A command of the chat is refused, as is one whose file makes none.
func expandSlash(s Streams, g *globals, prompt string) (string, error) {
	name, words, isCommand := cutCommand(prompt)
	if !isCommand || builtInNamed(name) != "" {
		return prompt, refuseSlash(prompt, nil)
	}
	_, dir, err := loadConfig(s, g)
	if err != nil {
		return "", err
	}
	state, err := lookIntoState(dir)
	if state == nil || err != nil {
		return prompt, refuseSlash(prompt, nil) // there is none yet, or opening it tells why
	}
	defer func() { _ = state.Close() }()
	list, faults, err := ownCommands(state)
	if err != nil {
		return "", failure("%s cannot be read: %v", inState(""), withoutPath(err))
	}
	var names []string
	for _, c := range list {
		if c.Name == name {
			text, err := c.Expand(words)
			if err != nil {
				return "", usageError("%v", err)
			}
			return text, nil
		}
		names = append(names, c.Name)
	}
	if f := faultOf(name, faults); f != "" {
		return "", usageError("%s", f)
	}
	return prompt, refuseSlash(prompt, names)
}
