package session

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

	"chatvault/internal/slash"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
	"chatvault/internal/trust"
)

// Custom holds the commands that the vault defines. Faults describe invalid files, a sentence each.
type Custom struct {
	Commands []Command
	Faults   []string
	// FaultOf returns the fault of the file for a command name, or "".
	FaultOf func(name string) string
}

// maxCommands is the maximum number of commands that a vault defines.
const maxCommands = 200

// ownCommands reads the commands that the vault defines, sorted by name. faults describe invalid files, unused those
// without consent, a sentence each. Files other than Markdown are ignored.
func ownCommands(vault *os.Root, answers *trust.Answers) (list []slash.Command, faults, unused []string, err error) {
	if err := answers.Off(); err != nil {
		return nil, nil, nil, err
	}
	budget := trust.NewBudget()
	defer func() {
		if budget.Err() != nil {
			list, faults, unused, err = nil, nil, nil, answers.TurnOff(budget.Err())
		}
	}()
	entries, err := budget.List(vault, trust.Commands)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	files := map[string]string{} // by command name
	for _, e := range entries {
		file := e.Name() // sanitized when shown
		name, isNote := strings.TrimSuffix(file, filepath.Ext(file)), strings.EqualFold(filepath.Ext(file), ".md")
		if !isNote || strings.HasPrefix(file, ".") || e.IsDir() {
			continue
		}
		if len(list) == maxCommands {
			faults = append(faults, fmt.Sprintf("%s holds more than %d commands; those from %s on are ignored.", InState(""), maxCommands, file))
			break
		}
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%s is not a command: %s.", InState(file), fmt.Sprintf(format, args...)))
		}
		if lower := strings.ToLower(name); slices.Contains(CommandNames(Commands()), lower) {
			fault("/%s is a built-in command, which it would hide; give the file another name than %s, such as my-%s", lower, file, file)
			continue
		}
		if other, taken := files[strings.ToLower(name)]; taken {
			fault("%s is already called /%s", other, strings.ToLower(name))
			continue
		}
		data, err := budget.Read(vault, trust.Commands+"/"+file, slash.MaxFile)
		switch {
		case errors.Is(err, statefile.ErrTooLarge):
			fault("it is longer than %d KB", slash.MaxFile>>10)
			continue
		case errors.Is(err, statefile.ErrNotFile):
			fault("it cannot be read: it is not a file")
			continue
		case err != nil:
			fault("it cannot be read: %v", text.Cause(err))
			continue
		case !answers.Agreed(trust.Commands+"/"+file, data):
			unused = append(unused, fmt.Sprintf("%s is not used until you agree to it: chatvault trust shows it.", InState(file)))
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

// faultOf returns the fault of the file for a command name, or "".
func faultOf(name string, faults []string) string {
	for _, f := range faults {
		if strings.HasPrefix(norm.NFC.String(strings.ToLower(f)), InState(name+".md")+" ") {
			return f
		}
	}
	return ""
}

// InState returns the path of a command's file as shown to the user.
func InState(file string) string {
	return strings.TrimSuffix(trust.Commands+"/"+file, "/")
}

// Custom returns the commands that the vault defines.
func (a *Session) Custom(context.Context) (Custom, error) { return CustomOf(a.own, a.answers) }

// CustomOf is like Session.Custom, for a vault's folder.
func CustomOf(vault *os.Root, answers *trust.Answers) (Custom, error) {
	list, faults, unused, err := ownCommands(vault, answers)
	out := Custom{Faults: faults, FaultOf: func(name string) string { return faultOf(name, slices.Concat(faults, unused)) }}
	for _, c := range list {
		out.Commands = append(out.Commands, Command{
			Name: c.Name, Args: c.Usage(), Does: c.Does, Needs: c.Least() > 0, Expand: c.Expand,
		})
	}
	return out, err
}
