// Command without is a program of Bubble Tea's that has not: the control.
package main

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
)

func main() {
	fmt.Println("started", tea.KeyEnter)
}
