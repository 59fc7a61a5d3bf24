// Package config is the configuration in force and where each value came from.
//
// It promises: flags win over the environment, the environment over the vault's
// file, the vault's file over the user's file, that over the defaults; an unknown key
// or a bad value is an error that names file, line and key; a vault's file, which
// comes with the vault and may be a stranger's, cannot redirect requests, choose
// keys, raise spending or weaken approval, and what it says that steers or erases counts
// only where its owner agreed to it (Sources.Agreed); a secret is never printed by any
// value of this package, whatever formats it.
//
// Its values are plain: it opens no connection and knows no provider by name.
package config

import "fmt"

// Kind says which layer a value came from, weakest first.
type Kind int

// The layers, weakest first.
const (
	Default Kind = iota
	UserFile
	VaultFile
	Chosen // on the screen, for the vault
	Environment
	Flag
)

// Origin is where a value came from. The zero Origin is the built-in default.
type Origin struct {
	Kind Kind
	Name string // the file's path, the variable's or the flag's name
	Line int    // 1-based line in a file, 0 where there is none
}

// String is the origin as `config show` prints it.
func (o Origin) String() string {
	switch o.Kind {
	case UserFile, VaultFile:
		if o.Line > 0 {
			return fmt.Sprintf("%s:%d", o.Name, o.Line)
		}
		return o.Name
	case Chosen:
		return "chosen with /model"
	case Environment:
		return "environment " + o.Name
	case Flag:
		return "flag --" + o.Name
	default:
		return "default"
	}
}

// Value is a setting and where it came from.
type Value[T any] struct {
	V      T
	Origin Origin
}

// Set says whether anything but the default gave the value.
func (v Value[T]) Set() bool { return v.Origin.Kind != Default }

// Approval says which changes of the agent wait for the user's consent.
type Approval string

// The approvals, weakest first.
const (
	ApprovalOff         Approval = "off"         // none: the agent is autonomous
	ApprovalDestructive Approval = "destructive" // those that take much away, and many in a turn
	ApprovalWrites      Approval = "writes"      // every change
)

// strength orders approvals; a vault's file may only raise it.
func (a Approval) strength() int {
	switch a {
	case ApprovalWrites:
		return 2
	case ApprovalDestructive:
		return 1
	default:
		return 0
	}
}

// Themes and notifications that can be named.
const (
	ThemeAuto          = "auto" // dark or light, as the terminal is
	ThemeDark          = "dark"
	ThemeLight         = "light"
	ThemeWarm          = "warm"  // on a dark background
	ThemePaper         = "paper" // warm, on a light one
	ThemeContrast      = "contrast"
	ThemeContrastLight = "contrast-light"
	ThemeNone          = "none"

	NotifyAuto = "auto"
	NotifyBell = "bell"
	NotifyOSC9 = "osc9"
	NotifyOff  = "off"

	HyperlinksAuto = "auto"
	HyperlinksOn   = "on"
	HyperlinksOff  = "off"

	ClipboardAuto   = "auto"   // a program of the system's, else tmux, else the terminal
	ClipboardOSC52  = "osc52"  // the terminal
	ClipboardNative = "native" // a program of the system's
	ClipboardFile   = "file"
)

// Provider is a named endpoint. What is empty is left to the preset of that name,
// where there is one.
type Provider struct {
	Name          string
	BaseURL       string
	Key           KeySource
	Model         string
	AllowInsecure bool // plain http to a host that is not loopback
	Origin        Origin

	baseURLOrigin Origin
}

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Input       float64
	CachedInput float64 // equals Input where not given
	Output      float64
	Origin      Origin
}

// Config is the whole configuration. The zero value of a string, a list or a budget
// means that nothing was configured.
type Config struct {
	Vault   Value[string] // as given, ~ expanded; empty: FindVault looks for one
	Offline Value[bool]   // the embedded engine, and no socket at all

	Model         Value[string] // "model" or "provider/model"
	OwnModel      Value[string] // Model as it is without the vault's file: who answers goes by it
	Chosen        Value[string] // provider/model, where ChosenCounts; empty: none was
	BaseURL       Value[string]
	APIKey        KeySource // for BaseURL, or for the provider Model names
	AllowInsecure Value[bool]
	Providers     map[string]Provider // by name
	Fallback      Value[[]string]     // "provider/model", tried in order
	SubagentModel Value[string]       // "provider/model"; empty: the parent's
	ContextWindow Value[int]          // tokens that Model takes in one call; 0: found out

	UserName            Value[string] // empty: from the operating system
	MaxToolIterations   Value[int]    // rounds of tool calls in a turn
	GoalMaxTurns        Value[int]    // turns toward a goal before it is paused
	IdleMinutes         Value[int]    // conversation_idle_timeout_minutes
	MaxConversations    Value[int]    // max_conversations_retained
	StateTimeoutMinutes Value[int]    // conversation_state_timeout_minutes
	JournalDays         Value[int]    // what was changed can be taken back so long
	JournalMegabytes    Value[int]    // and as long as what is kept for it takes no more
	IndexTextMegabytes  Value[int]    // of notes' text that the chat keeps in memory; 0: none
	Retrospection       Value[bool]
	RetrospectionPrompt Value[string]
	Architecture        Value[string] // information_architecture

	Approval     Value[Approval]
	BudgetTokens Value[int]     // a turn; 0: none
	BudgetUSD    Value[float64] // a turn; 0: none
	Prices       map[string]Price

	FirstByteSeconds Value[int] // how long a provider may take to begin its answer
	StallSeconds     Value[int] // how long it may pause within one
	ReadMaxLines     Value[int] // of one read_file
	ReadMaxBytes     Value[int]

	// Private are globs of notes that the agent may not see, of the user's and the vault's file.
	Private []Value[string]

	SmartHole SmartHole

	Theme     Value[string]
	Mouse     Value[bool]
	Notify    Value[string]
	AltScreen Value[bool]
	// Accessible has the chat be plain lines, for screen readers.
	Accessible Value[bool]

	// Vaults says of single vaults, by their folders without links, whether history is kept in them.
	Vaults map[string]Value[bool]

	// Keys are the keys of the chat that are bound otherwise, by action, as they were written.
	Keys map[string]Value[[]string]

	Hyperlinks Value[string] // whether the terminal has links; auto: where it is known to
	Clipboard  Value[string] // by what the chat copies

	// Unagreed are the lines of the vault's file that count only where its owner agreed to it, and do
	// not.
	Unagreed []Unagreed

	// Files are the configuration files that were read, weakest first.
	Files []string
	// Warnings are whole sentences about what works and should still be mended.
	Warnings []string
}

// Unagreed is a key that a vault's file sets and that is not used.
type Unagreed struct {
	Key    string
	Origin Origin
}

// Defaults is the configuration when nothing is configured.
func Defaults() *Config {
	return &Config{
		MaxToolIterations:   Value[int]{V: 10},
		GoalMaxTurns:        Value[int]{V: 10},
		IdleMinutes:         Value[int]{V: 30},
		MaxConversations:    Value[int]{V: 1000},
		StateTimeoutMinutes: Value[int]{V: 60},
		JournalDays:         Value[int]{V: 30},
		JournalMegabytes:    Value[int]{V: 500},
		IndexTextMegabytes:  Value[int]{V: 64},
		RetrospectionPrompt: Value[string]{V: DefaultRetrospectionPrompt},
		Architecture:        Value[string]{V: DefaultArchitecture},
		Approval:            Value[Approval]{V: ApprovalOff},
		FirstByteSeconds:    Value[int]{V: 120},
		StallSeconds:        Value[int]{V: 60},
		ReadMaxLines:        Value[int]{V: 2000},
		ReadMaxBytes:        Value[int]{V: 100_000},
		Theme:               Value[string]{V: ThemeAuto},
		Mouse:               Value[bool]{V: true},
		Notify:              Value[string]{V: NotifyAuto},
		SmartHole:           SmartHole{Name: Value[string]{V: "chatvault"}},
		AltScreen:           Value[bool]{V: true},
		Hyperlinks:          Value[string]{V: HyperlinksAuto},
		Clipboard:           Value[string]{V: ClipboardAuto},
		Providers:           map[string]Provider{},
		Prices:              map[string]Price{},
		Keys:                map[string]Value[[]string]{},
		Vaults:              map[string]Value[bool]{},
	}
}
