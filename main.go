// Command chatvault is a terminal program in which a person chats with their vault of
// Markdown notes.
package main

import (
	"embed"
	"io/fs"
	"os"

	"chatvault/internal/app/cli"
)

//go:embed docs/*.md
var guide embed.FS

//go:embed all:testdata/vault
var sample embed.FS

func main() {
	s := cli.System()
	s.Guide, s.Sample = within(guide, "docs"), within(sample, "testdata/vault")
	os.Exit(cli.Main(os.Args[1:], s))
}

func within(files fs.FS, dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}
