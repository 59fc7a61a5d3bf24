package session

// SettingKind is how a setting is changed.
type SettingKind string

// The kinds of settings: on or off; one of Choices; a number; dollars; a line of text; a text of
// many lines; a list with commas; what is changed in the file alone.
const (
	SettingSwitch SettingKind = "switch"
	SettingChoice SettingKind = "choice"
	SettingNumber SettingKind = "number"
	SettingAmount SettingKind = "amount"
	SettingText   SettingKind = "text"
	SettingProse  SettingKind = "prose"
	SettingList   SettingKind = "list"
	SettingFixed  SettingKind = "fixed"
)

// Setting is a key of the configuration.
type Setting struct {
	Key, Group, About string
	Kind              SettingKind
	Choices, Means    []string // Means: of each what it does; nil: they say it themselves
	Value             string   // as it would be typed; no secret
	Shown             string   // on one line, secrets hidden
	Origin            string   // where it came from, in a word or two
	Set               bool     // by something other than the default
	Fixed             string   // the flag or variable that decides; empty: none does
	InVault           bool     // the vault's file may set it
	ByVault           bool     // the vault's file does
	AtOnce            bool     // a change counts at once
	Until             string   // what is so until a change counts; empty: it only counts from the next start
}
