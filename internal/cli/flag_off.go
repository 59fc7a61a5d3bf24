package cli

import "strconv"

// off is a flag without a value, such as --no-alt-screen, that turns a setting off: as a setting it
// says "false" where it is given.
type off bool

func (o *off) Set(text string) error {
	given, err := strconv.ParseBool(text)
	*o = off(given)
	return err
}

func (o *off) String() string { return strconv.FormatBool(!bool(*o)) }

func (o *off) Type() string     { return "bool" }
func (o *off) IsBoolFlag() bool { return true }
