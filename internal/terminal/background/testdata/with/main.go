// Command with is a program of Bubble Tea's that has told Lip Gloss the
// background before.
package main

import (
	"fmt"

	_ "chatvault/internal/terminal/background"

	tea "github.com/charmbracelet/bubbletea"
)

func main() {
	fmt.Println("started", tea.KeyEnter)
}
