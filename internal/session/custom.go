package session

// Custom are the commands of the vault's own as they are now: words that the person sends as a message. Faults are sentences about files
// that make none.
type Custom struct {
	Commands []Command
	Faults   []string
	// FaultOf is the fault of the file that would make a command of a name; "": there is none.
	FaultOf func(name string) string
}
