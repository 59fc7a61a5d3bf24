// Screens draws the recorded screens of the chat as PNG pictures for the guide. The same screen always gives the same
// picture: fonts and drawing are its own. It is a module of its own because of the fonts.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run . RECORDED DRAWN")
		os.Exit(2)
	}
	if err := drawAll(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// drawAll draws each recorded screen of a folder into another.
func drawAll(from, to string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.ansi"))
	if err != nil {
		return err
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		png, err := picture(data)
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".ansi") + ".png"
		if err := os.WriteFile(filepath.Join(to, name), png, 0o644); err != nil { // for everyone
			return err
		}
	}
	return nil
}
