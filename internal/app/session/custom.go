package session

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/app/slash"
	"chatvault/internal/base/trust"
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
	found, err := trust.In(budget, vault, trust.Commands)
	if budget.Err() != nil {
		err = answers.TurnOff(budget.Err())
	}
	if err != nil {
		return nil, nil, nil, err
	}
	taken := map[string]string{} // files by command name
	for _, f := range found {
		file := path.Base(f.Name) // sanitized when shown
		name := strings.TrimSuffix(file, path.Ext(file))
		lower := strings.ToLower(name)
		if len(list) == maxCommands {
			faults = append(faults, fmt.Sprintf("%s holds more than %d commands; those from %s on are ignored.", trust.Commands, maxCommands, file))
			break
		}
		c, err := slash.Parse(name, f.Data)
		why := ""
		switch other := taken[lower]; {
		case slices.Contains(CommandNames(Commands()), lower):
			why = fmt.Sprintf("/%s is a built-in command, which it would hide; give the file another name than %s, such as my-%s", lower, file, file)
		case other != "":
			why = fmt.Sprintf("%s is already called /%s", other, lower)
		case f.Why != "":
			why = f.Why
		case !answers.Agreed(f.Name, f.Data):
			unused = append(unused, f.Name+" is not used until you agree to it: chatvault trust shows it.")
			continue
		case err != nil:
			why = err.Error()
		}
		if why != "" {
			faults = append(faults, fmt.Sprintf("%s is not a command: %s.", f.Name, why))
			continue
		}
		taken[c.Name] = file
		list = append(list, c)
	}
	return list, faults, unused, nil
}

// faultOf returns the fault of the file for a command name, or "".
func faultOf(name string, faults []string) string {
	for _, f := range faults {
		if strings.HasPrefix(norm.NFC.String(strings.ToLower(f)), trust.Commands+"/"+name+".md ") {
			return f
		}
	}
	return ""
}

// Custom returns the commands that the vault defines.
func (a *Session) Custom(context.Context) (Custom, error) { return CustomOf(a.own, a.steering.Answers) }

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
