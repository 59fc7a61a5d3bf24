package cli

import (
	"fmt"
	"strings"

	"chatvault/internal/config"
	"chatvault/internal/consent"
	"chatvault/internal/terminal/output"
)

// askUnsure asks whether a folder that may be none is to be taken for the vault, before anything is
// made in it. Nothing but a yes is one.
func askUnsure(s Streams, found config.Found) error {
	question := fmt.Sprintf("Is %s your vault? It is the folder you are in, and %s.\n"+
		"A yes lets the agent work in all of the folder.\n"+
		"Take it for the vault? [y/N] ", found.Dir, found.Unsure)
	fmt.Fprint(s.Out, output.Hang(s.safeOut(question), "", s.width())+" ")
	answer, err := consent.NewInput(s.In).Line()
	if err != nil {
		answer = ""
		fmt.Fprintln(s.Out)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return usageError("no vault was opened, and nothing was made\nName a folder of Markdown notes: chatvault --vault DIR; chatvault vaults lists those that are known")
}
