package clipboard

// Ways names by what a text would be copied, in order: programs, and the terminal itself. Empty: it
// would be kept in a file alone. Its arguments are as in Clipboard.
func Ways(setting, goos string, getenv, find func(string) string) []string {
	p := planFor(setting, goos, getenv, find)
	var ways []string
	for _, program := range p.programs {
		ways = append(ways, program.name)
	}
	if p.terminal {
		ways = append(ways, "the terminal (OSC 52)")
	}
	return ways
}
