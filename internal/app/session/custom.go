package session

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"chatvault/internal/app/slash"
	"chatvault/internal/base/trust"
)

// Custom holds the commands that the vault defines. Faults describe invalid files, a sentence each.
type Custom struct {
	Commands []Command
	Faults   []string
	// FaultOf holds why the file of a command is not used, by the command's name.
	FaultOf map[string]string

	own []slash.Command // Commands as they are defined
}

// CustomOf is like Session.Custom, for a vault's folder: the commands that it defines, sorted by name. Files other than
// Markdown are ignored.
func CustomOf(vault *os.Root, answers *trust.Answers) (out Custom, err error) {
	if err := answers.Off(); err != nil {
		return out, err
	}
	budget := trust.NewBudget()
	found, err := trust.In(budget, vault, trust.Commands)
	if budget.Err() != nil {
		err = answers.TurnOff(budget.Err())
	}
	if err != nil {
		return out, err
	}
	taken := map[string]string{} // files by command name
	out.FaultOf = map[string]string{}
	for _, f := range found {
		file := path.Base(f.Name) // sanitized when shown
		name := strings.TrimSuffix(file, path.Ext(file))
		lower := strings.ToLower(name)
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
			out.FaultOf[c.Name] = cmp.Or(out.FaultOf[c.Name], f.Name+" is not used until you agree to it: chatvault trust shows it.")
			continue
		case err != nil:
			why = err.Error()
		}
		if why != "" {
			fault := fmt.Sprintf("%s is not a command: %s.", f.Name, why)
			out.Faults, out.FaultOf[c.Name] = append(out.Faults, fault), cmp.Or(out.FaultOf[c.Name], fault)
			continue
		}
		taken[c.Name] = file
		out.own = append(out.own, c)
		out.Commands = append(out.Commands, Command{
			Name: c.Name, Args: c.Usage(), Does: c.Does, Needs: c.Least() > 0, Expand: c.Expand,
		})
	}
	return out, nil
}

// Custom returns the commands that the vault defines.
func (a *Session) Custom(context.Context) (Custom, error) { return CustomOf(a.own, a.steering.Answers) }

// Typed parses input for built-in commands and those that the vault defines. ok is false for a message. The error is
// that the vault's commands cannot be read.
func (a *Session) Typed(ctx context.Context, typed string, builtIn []Command) (t Typed, ok bool, err error) {
	name, _, ok := CutCommand(typed)
	if !ok {
		return t, false, nil
	}
	if !slices.ContainsFunc(builtIn, func(c Command) bool { return c.Named(name) }) {
		custom, err := a.Custom(ctx)
		if fault := custom.FaultOf[name]; err != nil || fault != "" {
			return Typed{Hint: fault}, true, err
		}
		builtIn = slices.Concat(builtIn, custom.Commands)
	}
	return ParseTyped(typed, builtIn), true, nil
}
