// Package config loads the configuration and records the origin of each value.
//
// Flags override the environment, which overrides the vault's file, the user's file, what was set in the program
// (settings.toml), and the defaults, in this order. An unknown key or an invalid value is an error that names file,
// line and key, and a warning in settings.toml. A vault's file comes with the vault and may be untrusted: it cannot
// redirect requests, choose keys, raise spending or weaken approval, and settings that steer the agent or delete data
// need the owner's consent (Sources.Agreed). No formatting of a value of this package reveals a secret.
//
// Values are plain: the package opens no connection and knows no provider.
package config

import (
	"fmt"
	"slices"
)

// Kind is the layer that a value came from, weakest first.
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

// ofVault reports whether the layer belongs to a vault and is limited to what a vault may set.
func (k Kind) ofVault() bool { return k == VaultSettings || k == VaultFile }

// ofSettings reports whether the program writes the layer.
func (k Kind) ofSettings() bool { return k == SettingsFile || k == VaultSettings }

// Origin is the source of a value. The zero Origin is the built-in default.
type Origin struct {
	Kind Kind
	Name string // path of the file, or name of the variable or flag
	Line int    // line in a file, from 1; zero if there is none
}

// String returns the origin as `config show` prints it.
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

// shortNames are origins in a word or two.
var shortNames = map[Kind]string{SettingsFile: "yours", UserFile: "yours", VaultSettings: "this vault's", VaultFile: "this vault's"}

// Value is a setting with its origin.
type Value[T any] struct {
	V      T
	Origin Origin
}

// Set reports whether the value is not the default.
func (v Value[T]) Set() bool { return v.Origin.Kind != Default }

// Approval selects which of the agent's changes require the user's consent.
type Approval string

// The approvals, weakest first.
const (
	ApprovalOff         Approval = "off"         // none: the agent is autonomous
	ApprovalDestructive Approval = "destructive" // those that remove much, and many in a turn
	ApprovalWrites      Approval = "writes"      // every change
	ApprovalPlan        Approval = "plan"        // every change except those of an approved plan
)

// strength orders approvals. A vault's file may only raise it.
func (a Approval) strength() int {
	return slices.Index([]Approval{ApprovalOff, ApprovalDestructive, ApprovalWrites, ApprovalPlan}, a)
}

// StrategySingle makes each message a turn of its own.
const StrategySingle = "single"

// PromptFull selects the full prompt for any model.
const PromptFull = "full"

// Names of themes that have a meaning here, and of the values of hyperlinks.
const (
	ThemeAuto = "auto" // dark or light, like the terminal
	ThemeNone = "none"

	HyperlinksOn  = "on"
	HyperlinksOff = "off"
)

// Provider is a named endpoint. Empty fields default to the preset of that name, if there is one.
type Provider struct {
	Name          string
	BaseURL       string
	Key           KeySource
	Model         string
	API           string // one of APIs
	AllowInsecure bool   // plain http to a host other than this computer
	Headers       Texts  // of each request
	Origin        Origin
}

// Price is the price of a model, in US dollars per million tokens.
type Price struct {
	Input       float64
	CachedInput float64 // equals Input if not given
	CacheWrite  float64 // likewise
	Output      float64
}

// Config is the whole configuration. The zero value of a string, a list or a budget means not configured. The fields'
// keys are in rows.go.
type Config struct {
	Models
	Agent
	Spending
	Conversations
	Storage
	Screen
	SmartHole SmartHole

	tables []Setting // values of tables in files

	// Unagreed are settings of the vault's file that are ignored because the owner has not agreed to it.
	Unagreed []Unagreed
	// Files are the configuration files that were read, weakest first.
	Files []string
	// Warnings are sentences about what works but should be fixed.
	Warnings []string
}

// Models selects the provider and its timeouts.
type Models struct {
	Offline       Value[bool]   // use the embedded engine and open no socket
	Model         Value[string] // "model" or "provider/model"
	OwnModel      Value[string] // Model without the vault's file, which selects the provider
	Chosen        Value[string] // provider/model, see ChosenCounts; empty if none
	BaseURL       Value[string]
	APIKey        KeySource // for BaseURL, or for the provider of Model
	AllowInsecure Value[bool]
	Effort        Value[string]       // one of Efforts, or DefaultEffort
	Providers     map[string]Provider // by name
	Fallback      Value[[]string]     // "provider/model", tried in order
	Prompt        Value[string]       // one of the prompt sizes
	ContextWindow Value[int]          // context window of Model in tokens; zero means detected

	FirstByteSeconds Value[int] // maximum time until a provider's answer starts
	StallSeconds     Value[int] // maximum pause within an answer
}

// ChosenCounts reports whether the model chosen for the vault applies: flags and the environment take precedence, and
// --base-url selects another endpoint for this run.
func (c *Models) ChosenCounts() bool {
	return c.Chosen.V != "" && !c.Offline.V && c.Model.Origin.Kind < Chosen && c.BaseURL.Origin.Kind != Flag
}

// Efforts are the levels of reasoning, lowest first. Models support different subsets.
var Efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// DefaultEffort leaves the level to the provider.
const DefaultEffort = "default"

// Agent configures the agent's prompt and permissions.
type Agent struct {
	Approval          Value[Approval]
	Private           []Value[string] // globs of notes hidden from it, of the user's and the vault's file
	UserName          Value[string]   // empty means from the operating system
	Architecture      Value[string]   // information_architecture
	MaxToolIterations Value[int]      // rounds of tool calls per turn
	GoalMaxTurns      Value[int]      // turns toward a goal before it pauses
	Strategy          Value[string]   // how several waiting messages are answered
	ReadMaxLines      Value[int]      // per read_file
	ReadMaxBytes      Value[int]
	MCP               map[string]MCPServer // servers whose tools the agent may use, by name
}

// Spending limits a turn's usage and sets prices.
type Spending struct {
	BudgetTokens Value[int]     // per turn; zero means none
	BudgetUSD    Value[float64] // per turn; zero means none
	Prices       map[string]Price
}

// Conversations configures how long conversations last and are kept.
type Conversations struct {
	IdleMinutes         Value[int] // conversation_idle_timeout_minutes
	MaxConversations    Value[int] // max_conversations_retained
	StateTimeoutMinutes Value[int] // conversation_state_timeout_minutes
	Retrospection       Value[bool]
	SaveChats           Value[string] // save_chats: a folder of the vault, without a trailing slash
	RetrospectionPrompt Value[string]
}

// Storage configures the vault, the journal and the log.
type Storage struct {
	Vault            Value[string] // as given, with ~ expanded; empty if FindVault looks for one
	JournalDays      Value[int]    // days for which changes can be undone
	JournalMegabytes Value[int]    // maximum size of what is kept for that
	LogLevel         Value[string] // minimum severity; debug logs each request to a model, without keys and bodies
}

// Screen configures the chat's display.
type Screen struct {
	Theme      Value[string]
	Mouse      Value[bool]
	Notify     Value[string]
	Accessible Value[bool]   // plain lines for screen readers
	Hyperlinks Value[string] // whether to use terminal links; auto uses them where known to work

	KeyStyle Value[string] // "emacs" or "vi"
	// Keys are rebound keys of the chat, by action, as written.
	Keys map[string]Value[[]string]
}

// SmartHole configures how routed messages are received.
type SmartHole struct {
	Enabled     Value[bool]
	URL         Value[string] // empty means SmartHole's default
	Name        Value[string] // under which this program registers
	Description Value[string] // of what to route here; empty means one derived from the vault's name
	Token       Value[Secret] // secret that SmartHole must prove to know; empty if none
}

// Unagreed is a key in a vault's file that is ignored.
type Unagreed struct {
	Key    string
	Origin Origin
}

// Defaults returns the configuration with all defaults.
func Defaults() *Config {
	c := &Config{}
	c.MCP = map[string]MCPServer{}
	c.Providers, c.Prices = map[string]Provider{}, map[string]Price{}
	c.Keys = map[string]Value[[]string]{}
	for _, r := range rowsOf(c) {
		if r.holds.reset != nil {
			r.holds.reset()
		}
	}
	return c
}
