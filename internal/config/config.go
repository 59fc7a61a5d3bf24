// Package config is the configuration in force and where each value came from.
//
// It promises: flags win over the environment, the environment over the vault's
// file, the vault's file over the user's file, that over what was set in the program
// (settings.toml), that over the defaults; an unknown key or a bad value is an error that
// names file, line and key, and of settings.toml a warning; a vault's file, which
// comes with the vault and may be a stranger's, cannot redirect requests, choose
// keys, raise spending or weaken approval, and what it says that steers or erases counts
// only where its owner agreed to it (Sources.Agreed); a secret is never printed by any
// value of this package, whatever formats it.
//
// Its values are plain: it opens no connection and knows no provider by name.
package config

import (
	"fmt"
	"slices"
)

// Kind says which layer a value came from, weakest first.
type Kind int

// The layers, weakest first.
const (
	Default      Kind = iota
	SettingsFile      // set in the program, for all vaults
	UserFile
	VaultSettings // set in the program, for the vault
	VaultFile
	Chosen // on the screen, for the vault
	Environment
	Flag
	Demo // chatvault demo
)

// ofVault reports whether the layer is about one vault, and bound by what a vault may set.
func (k Kind) ofVault() bool { return k == VaultSettings || k == VaultFile }

// ofSettings reports whether the program writes the layer.
func (k Kind) ofSettings() bool { return k == SettingsFile || k == VaultSettings }

// Origin is where a value came from. The zero Origin is the built-in default.
type Origin struct {
	Kind Kind
	Name string // the file's path, the variable's or the flag's name
	Line int    // 1-based line in a file, 0 where there is none
}

// String is the origin as `config show` prints it.
func (o Origin) String() string {
	switch o.Kind {
	case SettingsFile, UserFile, VaultSettings, VaultFile:
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
	case Demo:
		return "chatvault demo"
	default:
		return "default"
	}
}

// short is where a value came from, in a word or two.
func (o Origin) short() string {
	switch o.Kind {
	case Default:
		return "default"
	case SettingsFile, UserFile:
		return "yours"
	case VaultSettings, VaultFile:
		return "this vault's"
	case Environment:
		return "$" + o.Name
	case Flag:
		return "--" + o.Name
	}
	return o.String()
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
	ApprovalPlan        Approval = "plan"        // every change but those of an approved plan
)

// strength orders approvals; a vault's file may only raise it.
func (a Approval) strength() int {
	return slices.Index([]Approval{ApprovalOff, ApprovalDestructive, ApprovalWrites, ApprovalPlan}, a)
}

// The sizes of the prompt.
const (
	PromptAuto    = "auto" // compact for models that are known to be small
	PromptFull    = "full"
	PromptCompact = "compact"
)

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
	API           string                   // one of APIs
	AllowInsecure bool                     // plain http to a host that is not loopback
	Headers       map[string]Value[string] // of each request; NAME_env and NAME_command stand for where NAME's value is
	Origin        Origin

	baseURLOrigin Origin
}

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Input       float64
	CachedInput float64 // equals Input where not given
	CacheWrite  float64 // the same
	Output      float64
	Origin      Origin
}

// Config is the whole configuration, by what it is about. The zero value of a string, a list or a
// budget means that nothing was configured. Which setting is kept in which field: rows.go.
type Config struct {
	Models
	Agent
	Spending
	Conversations
	Storage
	Screen
	SmartHole SmartHole

	tables []tableLine // what stands in tables of files

	// Unagreed are the lines of the vault's file that count only where its owner agreed to it, and do
	// not.
	Unagreed []Unagreed
	// Files are the configuration files that were read, weakest first.
	Files []string
	// Warnings are whole sentences about what works and should still be mended.
	Warnings []string
}

// Models is who answers, and how long is waited for it.
type Models struct {
	Offline       Value[bool]   // the embedded engine, and no socket at all
	Model         Value[string] // "model" or "provider/model"
	OwnModel      Value[string] // Model as it is without the vault's file: who answers goes by it
	Chosen        Value[string] // provider/model, where ChosenCounts; empty: none was
	BaseURL       Value[string]
	APIKey        KeySource // for BaseURL, or for the provider Model names
	AllowInsecure Value[bool]
	Effort        Value[string]       // one of Efforts, or DefaultEffort
	Providers     map[string]Provider // by name
	Fallback      Value[[]string]     // "provider/model", tried in order
	SubagentModel Value[string]       // "provider/model"; empty: the parent's
	Prompt        Value[string]       // one of the prompt sizes
	ContextWindow Value[int]          // tokens that Model takes in one call; 0: found out

	FirstByteSeconds Value[int] // how long a provider may take to begin its answer
	StallSeconds     Value[int] // how long it may pause within one
}

// Agent is what the agent is told, and what it may do and see.
type Agent struct {
	Approval          Value[Approval]
	Private           []Value[string] // globs of notes that it may not see, of the user's and the vault's file
	UserName          Value[string]   // empty: from the operating system
	Architecture      Value[string]   // information_architecture
	MaxToolIterations Value[int]      // rounds of tool calls in a turn
	GoalMaxTurns      Value[int]      // turns toward a goal before it is paused
	ReadMaxLines      Value[int]      // of one read_file
	ReadMaxBytes      Value[int]
	MCP               map[string]MCPServer // whose tools the agent may use, by name
}

// Spending is what a turn may use, and what that costs.
type Spending struct {
	BudgetTokens Value[int]     // a turn; 0: none
	BudgetUSD    Value[float64] // a turn; 0: none
	Prices       map[string]Price
}

// Conversations is when they end and what becomes of them.
type Conversations struct {
	IdleMinutes         Value[int] // conversation_idle_timeout_minutes
	MaxConversations    Value[int] // max_conversations_retained
	StateTimeoutMinutes Value[int] // conversation_state_timeout_minutes
	Retrospection       Value[bool]
	SaveChats           Value[string] // save_chats: a folder of the vault, without a slash at its end
	RetrospectionPrompt Value[string]
}

// LogLevel says how grave what is logged must be.
type LogLevel string

// The log levels; debug tells each request to a model, without keys and bodies.
const (
	LogError LogLevel = "error"
	LogWarn  LogLevel = "warn"
	LogInfo  LogLevel = "info"
	LogDebug LogLevel = "debug"
)

// Storage is where the notes are, and what is kept of them, of their changes and of what happened.
type Storage struct {
	Vault              Value[string]          // as given, ~ expanded; empty: FindVault looks for one
	Vaults             map[string]Value[bool] // whether history is kept in a vault, by its folder without links
	JournalDays        Value[int]             // what was changed can be taken back so long
	JournalMegabytes   Value[int]             // and as long as what is kept for it takes no more
	IndexTextMegabytes Value[int]             // of notes' text that the chat keeps in memory; 0: none
	LogLevel           Value[LogLevel]
}

// Screen is how the chat looks and sounds.
type Screen struct {
	Theme      Value[string]
	Mouse      Value[bool]
	Notify     Value[string]
	Accessible Value[bool]   // plain lines, for screen readers
	Hyperlinks Value[string] // whether the terminal has links; auto: where it is known to
	Clipboard  Value[string] // by what the chat copies

	// Keys are the keys of the chat that are bound otherwise, by action, as they were written.
	Keys map[string]Value[[]string]
}

// SmartHole is the way in for routed messages.
type SmartHole struct {
	Enabled     Value[bool]
	URL         Value[string] // empty: where SmartHole listens by default
	Name        Value[string] // that this program registers by
	Description Value[string] // of what should be routed here; empty: one made of the vault's name
	Token       Value[Secret] // that SmartHole proves it knows; empty: it need not
}

// Unagreed is a key that a vault's file sets and that is not used.
type Unagreed struct {
	Key    string
	Origin Origin
}

// Defaults is the configuration when nothing is configured.
func Defaults() *Config {
	c := &Config{}
	c.MCP = map[string]MCPServer{}
	c.Providers, c.Prices = map[string]Provider{}, map[string]Price{}
	c.Keys, c.Vaults = map[string]Value[[]string]{}, map[string]Value[bool]{}
	for _, r := range rowsOf(c) {
		if r.holds.reset != nil {
			r.holds.reset()
		}
	}
	return c
}
