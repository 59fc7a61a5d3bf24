// Command chatvault is a terminal program in which a person chats with their vault of
// Markdown notes.
package main

import (
	"os"

	"chatvault/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.System()))
}
