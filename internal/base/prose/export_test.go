package prose

// Shown and HasParts are exported for tests that use the themes.
var Shown = shown

const MaxShown = maxShown

func (v *View) HasParts() bool { return v.parts }
