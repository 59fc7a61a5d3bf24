package session

// CustomCommand is a command of the vault's own: words that the person sends as a message.
type CustomCommand struct {
	Name string // as it is typed after the slash
	Args string // "TOPIC [DAYS]"; empty: it takes words or none
	Does string
	// Needs says that it cannot do without words.
	Needs bool
	// Expand makes the message of the words after the name; its error says what is missing.
	Expand func(words string) (string, error)
}

// Custom are the commands of the vault's own as they are now. Faults are sentences about files
// that make none.
type Custom struct {
	Commands []CustomCommand
	Faults   []string
	// FaultOf is the fault of the file that would make a command of a name; "": there is none.
	FaultOf func(name string) string
}
