package config

import (
	"fmt"
	"strconv"
	"strings"
)

// field is one key of the configuration that holds a single value.
type field struct {
	key   string
	env   string   // variable that sets it; empty: none
	vault vaultMay // what a vault's file may do with it
	apply func(c *Config, raw any, o Origin) error
	show  func(c *Config) (string, Origin)
}

// vaultMay is what a vault's file, which may be a stranger's, may do with a key.
type vaultMay int

const (
	never  vaultMay = iota // nothing: a line that tries is an error
	freely                 // set it: it is about the look of the screen, or only ever adds
	lower                  // lower it
	agreed                 // set it, where the owner agreed to the file
)

// scalar makes the field of a Value.
func scalar[T any](key, env string, vault vaultMay, at func(*Config) *Value[T], parse parser[T], show func(T) string) field {
	return field{
		key: key, env: env, vault: vault,
		apply: func(c *Config, raw any, o Origin) error {
			v, err := parse(raw)
			if err != nil {
				return err
			}
			*at(c) = Value[T]{v, o}
			return nil
		},
		show: func(c *Config) (string, Origin) { return show(at(c).V), at(c).Origin },
	}
}

// secretField makes a field that names the source of the key.
func secretField(key, env string, source func(raw any, o Origin) (KeySource, error), kind keyKind) field {
	return field{
		key: key, env: env,
		apply: func(c *Config, raw any, o Origin) error {
			k, err := source(raw, o)
			if err != nil {
				return err
			}
			c.APIKey = k
			return nil
		},
		show: func(c *Config) (string, Origin) {
			if c.APIKey.kind != kind {
				return "", Origin{}
			}
			return c.APIKey.String(), c.APIKey.Origin
		},
	}
}

func showText(s string) string { return s }

func showCount(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func showAmount(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// fields are the keys in the order of the documentation. The tables `providers` and
// `prices` are read in tables.go.
var fields = []field{
	scalar("vault", "CHATVAULT_VAULT", never, func(c *Config) *Value[string] { return &c.Vault }, parseName, showText),
	scalar("model", "CHATVAULT_MODEL", agreed, func(c *Config) *Value[string] { return &c.Model }, parseName, showText),
	scalar("base_url", "OPENAI_BASE_URL", never, func(c *Config) *Value[string] { return &c.BaseURL }, parseURL, showText),
	secretField("api_key", "OPENAI_API_KEY", literalSource, keyLiteral),
	secretField("api_key_env", "", envSource, keyEnv),
	secretField("api_key_command", "", commandSource, keyCommand),
	scalar("allow_insecure", "", never, func(c *Config) *Value[bool] { return &c.AllowInsecure }, parseBool, strconv.FormatBool),
	scalar("offline", "CHATVAULT_OFFLINE", never, func(c *Config) *Value[bool] { return &c.Offline }, parseBool, strconv.FormatBool),
	scalar("fallback", "", never, func(c *Config) *Value[[]string] { return &c.Fallback }, parseFallback,
		func(list []string) string { return strings.Join(list, ", ") }),
	scalar("subagent_model", "", never, func(c *Config) *Value[string] { return &c.SubagentModel }, parseModel, showText),
	scalar("context_window", "", never, func(c *Config) *Value[int] { return &c.ContextWindow }, parseWindow, showCount),
	scalar("user_name", "", agreed, func(c *Config) *Value[string] { return &c.UserName }, parseName, showText),
	scalar("max_tool_iterations", "", lower, func(c *Config) *Value[int] { return &c.MaxToolIterations }, parseInt(1, 1000), strconv.Itoa),
	scalar("goal_max_turns", "", lower, func(c *Config) *Value[int] { return &c.GoalMaxTurns }, parseInt(1, 1000), strconv.Itoa),
	scalar("conversation_idle_timeout_minutes", "", lower, func(c *Config) *Value[int] { return &c.IdleMinutes }, parseInt(1, 525_600), strconv.Itoa),
	scalar("max_conversations_retained", "", agreed, func(c *Config) *Value[int] { return &c.MaxConversations }, parseInt(1, 1_000_000), strconv.Itoa),
	scalar("conversation_state_timeout_minutes", "", lower, func(c *Config) *Value[int] { return &c.StateTimeoutMinutes }, parseInt(1, 525_600), strconv.Itoa),
	scalar("journal_days", "", never, func(c *Config) *Value[int] { return &c.JournalDays }, parseInt(1, 36_500), strconv.Itoa),
	scalar("journal_megabytes", "", never, func(c *Config) *Value[int] { return &c.JournalMegabytes }, parseInt(1, 1_000_000), strconv.Itoa),
	scalar("index_text_megabytes", "", lower, func(c *Config) *Value[int] { return &c.IndexTextMegabytes }, parseInt(0, 1024), strconv.Itoa),
	scalar("enable_conversation_retrospection", "", agreed, func(c *Config) *Value[bool] { return &c.Retrospection }, parseBool, strconv.FormatBool),
	scalar("retrospection_prompt", "", agreed, func(c *Config) *Value[string] { return &c.RetrospectionPrompt }, parseText, showText),
	scalar("information_architecture", "", agreed, func(c *Config) *Value[string] { return &c.Architecture }, parseText, showText),
	scalar("approval", "CHATVAULT_APPROVAL", freely, func(c *Config) *Value[Approval] { return &c.Approval },
		parseChoice(ApprovalOff, ApprovalDestructive, ApprovalWrites), func(a Approval) string { return string(a) }),
	scalar("budget_tokens", "", never, func(c *Config) *Value[int] { return &c.BudgetTokens }, parseInt(0, 1_000_000_000), showCount),
	scalar("budget_usd", "", never, func(c *Config) *Value[float64] { return &c.BudgetUSD }, parseAmount, showAmount),
	scalar("first_byte_timeout_seconds", "", never, func(c *Config) *Value[int] { return &c.FirstByteSeconds }, parseInt(1, 3600), strconv.Itoa),
	scalar("stall_timeout_seconds", "", never, func(c *Config) *Value[int] { return &c.StallSeconds }, parseInt(1, 3600), strconv.Itoa),
	privateField,
	scalar("read_max_lines", "", lower, func(c *Config) *Value[int] { return &c.ReadMaxLines }, parseInt(1, 1_000_000), strconv.Itoa),
	scalar("read_max_bytes", "", lower, func(c *Config) *Value[int] { return &c.ReadMaxBytes }, parseInt(1000, 10_000_000), strconv.Itoa),
	scalar("smarthole.enabled", "CHATVAULT_SMARTHOLE", never, func(c *Config) *Value[bool] { return &c.SmartHole.Enabled }, parseBool, strconv.FormatBool),
	scalar("smarthole.url", "", never, func(c *Config) *Value[string] { return &c.SmartHole.URL }, parseName, showText),
	scalar("smarthole.name", "", never, func(c *Config) *Value[string] { return &c.SmartHole.Name }, parseName, showText),
	scalar("smarthole.description", "", never, func(c *Config) *Value[string] { return &c.SmartHole.Description }, parseText, showText),
	scalar("theme", "CHATVAULT_THEME", freely, func(c *Config) *Value[string] { return &c.Theme },
		parseChoice(ThemeAuto, ThemeDark, ThemeLight, ThemeWarm, ThemePaper, ThemeContrast, ThemeContrastLight, ThemeNone), showText),
	scalar("mouse", "CHATVAULT_MOUSE", freely, func(c *Config) *Value[bool] { return &c.Mouse }, parseBool, strconv.FormatBool),
	scalar("notify", "CHATVAULT_NOTIFY", agreed, func(c *Config) *Value[string] { return &c.Notify },
		parseChoice(NotifyAuto, NotifyBell, NotifyOSC9, NotifyOff), showText),
	scalar("alt_screen", "CHATVAULT_ALT_SCREEN", freely, func(c *Config) *Value[bool] { return &c.AltScreen }, parseBool, strconv.FormatBool),
	scalar("accessible", "CHATVAULT_ACCESSIBLE", freely, func(c *Config) *Value[bool] { return &c.Accessible }, parseBool, strconv.FormatBool),
	scalar("hyperlinks", "CHATVAULT_HYPERLINKS", freely, func(c *Config) *Value[string] { return &c.Hyperlinks },
		parseChoice(HyperlinksAuto, HyperlinksOn, HyperlinksOff), showText),
	scalar("clipboard", "CHATVAULT_CLIPBOARD", agreed, func(c *Config) *Value[string] { return &c.Clipboard },
		parseChoice(ClipboardAuto, ClipboardOSC52, ClipboardNative, ClipboardFile), showText),
}

// fieldOf finds a key.
func fieldOf(key string) (field, bool) {
	for _, f := range fields {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

// literalSource reads api_key.
func literalSource(raw any, o Origin) (KeySource, error) {
	s, ok := plain(raw).(string)
	if !ok {
		return KeySource{}, fmt.Errorf("must be a text in quotes, not %s", typeName(raw))
	}
	key, err := parseKey(s)
	if err != nil {
		return KeySource{}, err
	}
	return LiteralKey(key, o), nil
}

// envSource reads api_key_env. A value that is no variable's name is not repeated: it
// is likely the key itself.
func envSource(raw any, o Origin) (KeySource, error) {
	s, ok := plain(raw).(string)
	if !ok {
		return KeySource{}, fmt.Errorf("must be the name of an environment variable in quotes, not %s", typeName(raw))
	}
	s = strings.TrimSpace(s)
	for i, r := range s {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return KeySource{}, fmt.Errorf("must be the name of an environment variable, such as OPENROUTER_API_KEY, not the key itself")
		}
	}
	if s == "" {
		return KeySource{}, fmt.Errorf("is empty; name an environment variable, such as OPENROUTER_API_KEY")
	}
	return EnvKey(s, o), nil
}

// commandSource reads api_key_command.
func commandSource(raw any, o Origin) (KeySource, error) {
	s, ok := plain(raw).(string)
	switch {
	case !ok:
		return KeySource{}, fmt.Errorf("must be a command line in quotes, not %s", typeName(raw))
	case strings.TrimSpace(s) == "":
		return KeySource{}, fmt.Errorf("is empty; give a command that prints the key, such as \"pass show openrouter\"")
	case strings.ContainsRune(s, 0):
		return KeySource{}, fmt.Errorf("must not hold a NUL character")
	}
	return CommandKey(strings.TrimSpace(s), o), nil
}
