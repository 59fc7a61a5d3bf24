package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"chatvault/internal/config"
	"chatvault/internal/consent"
	"chatvault/internal/session"
	"chatvault/internal/terminal/output"
)

// maxOffered is the maximum number of known vaults offered at a start without one.
const maxOffered = 9

// askVault asks which vault to open if none was named or found: a known one, any folder, or a new one, which it
// creates.
func askVault(s Streams) (string, error) {
	known, _ := session.KnownVaults("") // none are known if the list cannot be read
	offered := slices.DeleteFunc(known, func(v session.Vault) bool { return v.Missing })
	offered = offered[:min(len(offered), maxOffered)]
	cwd, _ := os.Getwd()
	say := func(text string) { fmt.Fprintln(s.Out, output.Hang(s.safeOut(text), "", s.Out.Width())) }
	say("There are no notes in " + cwd + ". A vault is the folder that holds your notes. Which one do you want to open?")
	for i, v := range offered {
		say(fmt.Sprintf("  %d  %s  %s", i+1, v.Name, v.Dir))
	}
	say("  n  a new one")
	in := consent.NewInput(s.In)
	ask := func(question string) (string, bool) {
		fmt.Fprint(s.Out, question+" ")
		answer, err := in.Line()
		if err != nil {
			fmt.Fprintln(s.Out)
		}
		answer = strings.TrimSpace(answer)
		return answer, err == nil && answer != ""
	}
	for {
		answer, ok := ask(whichVault(len(offered)))
		if ok && answer == "n" {
			answer, ok = ask("Folder of the new vault, such as ~/Notes (Enter leaves):")
			if ok {
				dir, err := makeVault(answer)
				if err == nil {
					return dir, nil
				}
				say(err.Error())
				continue
			}
		}
		if !ok {
			return "", usageError("no vault was opened, and nothing was created\nName a folder of Markdown notes: chatvault --vault DIR")
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(offered) {
			answer = offered[n-1].Dir
		}
		dir, err := existingFolder(answer)
		if err == nil {
			_, err = config.FindVault(config.Search{Given: dir})
		}
		if err == nil {
			return dir, nil
		}
		say(err.Error())
	}
}

func whichVault(offered int) string {
	if offered == 0 {
		return "n, or a folder (Enter leaves):"
	}
	return "Number, n, or a folder (Enter leaves):"
}

// makeVault creates the folder of a vault.
func makeVault(name string) (string, error) {
	dir, err := resolveFolder(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err == nil {
		return "", fmt.Errorf("%s is there already; name it to open it", dir)
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%s cannot be made: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // the usual mode of a user's folder
		return "", fmt.Errorf("%s cannot be made: %w", dir, err)
	}
	if _, err := config.FindVault(config.Search{Given: dir}); err != nil {
		_ = os.Remove(dir)
		return "", err
	}
	return dir, nil
}
