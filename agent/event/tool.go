package event

import "chatvault/tools"

// ToolTraits are how calls of a tool are shown.
type ToolTraits = tools.Traits

// TraitsOf are the traits of the tool of a name, as ToolStarted and records have it.
func TraitsOf(tool string) ToolTraits { return tools.TraitsOf(tool) }
