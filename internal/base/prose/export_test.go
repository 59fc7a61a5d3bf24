package prose

// Shown and HasParts are for the tests, which know the themes.
var Shown = shown

const MaxShown = maxShown

func (v *View) HasParts() bool { return v.parts }
