package config

import (
	_ "embed"
	"strconv"
	"strings"

	"chatvault/internal/base/terminal/attention"
)

// The groups, in the order of the rows.
const (
	groupScreen        = "Screen"
	groupModel         = "Model"
	groupAgent         = "Agent"
	groupBudget        = "Spending"
	groupConversations = "Conversations"
	groupVault         = "Vault"
	groupRouting       = "SmartHole"
	groupTables        = "Tables"
)

// rowsOf returns all settings, stored in c. To add one, add its row here and its field to a struct of config.go.
// Tables and keys of tables come last, as in TOML. It is a variable so that a test can add one.
var rowsOf = func(c *Config) []row {
	return append([]row{
		{
			key: "theme", group: groupScreen, env: "CHATVAULT_THEME", vault: freely, atOnce: true,
			holds: choice(&c.Theme, ThemeAuto, "dark", "light", "warm", "contrast", "contrast-light", ThemeNone),
			about: "The colours; /theme previews them",
		},
		{
			key: "mouse", group: groupScreen, env: "CHATVAULT_MOUSE", vault: freely, holds: toggle(&c.Mouse, true), atOnce: true,
			about: "Use the wheel and clicks; when off, the terminal selects text itself",
		},
		{
			key: "notify", group: groupScreen, env: "CHATVAULT_NOTIFY", vault: agreed, atOnce: true,
			holds: choice(&c.Notify, attention.Auto, attention.UseBell, attention.UseOSC9, attention.UseNone).
				meaning("a notification if the terminal is known to support it, else the bell", "the bell", "a notification (OSC 9)", "not at all"),
			about: "How you are notified while you are away from the chat",
		},
		{
			key: "accessible", group: groupScreen, env: "CHATVAULT_ACCESSIBLE", vault: freely, holds: toggle(&c.Accessible, false),
			about: "Plain lines instead of a screen, for screen readers",
		},
		{
			key: "hyperlinks", group: groupScreen, env: "CHATVAULT_HYPERLINKS", vault: freely, atOnce: true,
			holds: choice(&c.Hyperlinks, "auto", HyperlinksOn, HyperlinksOff),
			about: "Make note names clickable links",
		},

		{
			key: "model", group: groupModel, env: "CHATVAULT_MODEL", vault: agreed, holds: line(&c.Model, parseName), example: `"openrouter/anthropic/claude-sonnet-4.5"`,
			about: "A model's name, or provider/model; /model chooses one for this vault",
		},
		{
			key: "base_url", group: groupModel, env: "OPENAI_BASE_URL", holds: line(&c.BaseURL, parseURL), example: `"https://api.openai.com/v1"`,
			about: "An endpoint that speaks the OpenAI protocol",
		},
		{key: "api_key_env", group: groupModel, holds: secret(c, keyEnv), example: `"MY_OPENAI_KEY"`, about: "The environment variable that holds the key"},
		{
			key: "api_key", group: groupModel, env: "OPENAI_API_KEY", holds: secret(c, keyLiteral), example: `"sk-…"`,
			about: "The key itself; better typed with /model, which keeps it out of the file",
		},
		{key: "api_key_command", group: groupModel, holds: secret(c, keyCommand), example: `"pass show openai"`, about: "A command that prints the key"},
		{
			key: "offline", group: groupModel, env: "CHATVAULT_OFFLINE", holds: toggle(&c.Offline, false),
			about: "Use only the offline engine, and connect to nothing",
		},
		{
			key: "allow_insecure", group: groupModel, holds: toggle(&c.AllowInsecure, false),
			about: "Allow http:// to other machines: your notes and your key travel unencrypted",
		},
		{
			key: "fallback", group: groupModel, example: `["openrouter/meta-llama/llama-3.3-70b-instruct", "ollama/llama3.2"]`,
			holds: scalar(KindList, &c.Fallback, nil, parseFallback, func(list []string) string { return strings.Join(list, ", ") }),
			about: "Other models to try, in order, when the model fails for good",
		},
		{
			key: "reasoning_effort", group: groupModel, holds: choice(&c.Effort, append([]string{DefaultEffort}, Efforts...)...),
			about: "How much models reason before they answer; default: up to the provider",
		},
		{
			key: "context_window", group: groupModel, holds: number(&c.ContextWindow, 0, 0, 100_000_000),
			about: "Tokens the model takes in one call; 0: detect it",
		},
		{
			key: "prompt", group: groupModel, vault: agreed, holds: choice(&c.Prompt, "auto", PromptFull, "compact"),
			about: "How much the model is told: full, or compact for a small model",
		},
		{
			key: "first_byte_timeout_seconds", group: groupModel, holds: number(&c.FirstByteSeconds, 120, 1, 3600),
			about: "How long a provider may take to begin its answer",
		},
		{
			key: "stall_timeout_seconds", group: groupModel, holds: number(&c.StallSeconds, 60, 1, 3600),
			about: "How long a provider may pause within an answer",
		},

		{
			key: "approval", group: groupAgent, env: "CHATVAULT_APPROVAL", vault: freely,
			holds: choice(&c.Approval, ApprovalOff, ApprovalDestructive, ApprovalWrites, ApprovalPlan).
				meaning("nothing waits; /undo reverts", "deleting, moving folders, overwriting, large removals", "every change", "it plans first, and changes only what an approved plan says"),
			about: "What waits for your consent: nothing, much, everything, or a plan first",
		},
		{
			key: privateKey, group: groupAgent, vault: freely, holds: private(c), example: `["Diary/", "*.secret.md"]`,
			about: "Globs of notes the agent may not see",
		},
		{
			key: "user_name", group: groupAgent, vault: agreed, holds: line(&c.UserName, parseName), example: `"Ines"`,
			about: "What the agent calls you; empty: your name on this machine",
		},
		{
			key: "information_architecture", group: groupAgent, vault: agreed, holds: words(KindProse, &c.Architecture, strings.TrimSpace(architecture), parseText),
			about:   "Where things belong in your vault",
			example: "\"\"\"\nProjects go to Projects/NAME/, one note each for plan, log and decisions.\nRecipes go to Recipes/ and carry the tag recipe.\n\"\"\"",
		},
		{
			key: "max_tool_iterations", group: groupAgent, vault: lower, holds: number(&c.MaxToolIterations, 10, 1, 1000),
			about: "Rounds of tool calls in a turn",
		},
		{key: "goal_max_turns", group: groupAgent, vault: lower, holds: number(&c.GoalMaxTurns, 10, 1, 1000), about: "Turns spent on a goal before it is paused"},
		{
			key: "strategy", group: groupAgent, vault: agreed, holds: choice(&c.Strategy, "batch", StrategySingle).meaning("one turn for all", "one turn for each"),
			about: "How several waiting messages are answered: together, or one by one",
		},
		{key: "read_max_lines", group: groupAgent, vault: lower, holds: number(&c.ReadMaxLines, 2000, 1, 1_000_000), about: "Lines of a note read at once"},
		{key: "read_max_bytes", group: groupAgent, vault: lower, holds: number(&c.ReadMaxBytes, 100_000, 1000, 10_000_000), about: "Bytes of a note read at once"},

		{
			key: "budget_tokens", group: groupBudget, holds: number(&c.BudgetTokens, 0, 0, 1_000_000_000),
			about: "The most tokens a turn may use; 0: no limit",
		},
		{
			key: "budget_usd", group: groupBudget, holds: scalar(KindNumber, &c.BudgetUSD, 0, parseAmount, func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }),
			about: "The most dollars a turn may cost, for models with a price; 0: no limit",
		},

		{
			key: "conversation_idle_timeout_minutes", group: groupConversations, vault: lower, holds: number(&c.IdleMinutes, 30, 1, 525_600),
			about: "Idle minutes after which a message starts a new conversation",
		},
		{
			key: "max_conversations_retained", group: groupConversations, vault: agreed, holds: number(&c.MaxConversations, 1000, 1, 1_000_000),
			about: "How many ended conversations are kept",
		},
		{
			key: "conversation_state_timeout_minutes", group: groupConversations, vault: lower, holds: number(&c.StateTimeoutMinutes, 60, 1, 525_600),
			about: "Minutes a question from the agent waits for an answer",
		},
		{
			key: "enable_conversation_retrospection", group: groupConversations, vault: agreed, holds: toggle(&c.Retrospection, false),
			about: "Have the model review each conversation that ends",
		},
		{
			key: "retrospection_prompt", group: groupConversations, vault: agreed, example: `"What went well, what did not, and what should I change?"`,
			holds: words(KindProse, &c.RetrospectionPrompt, strings.TrimSpace(retrospection), parseText),
			about: "The prompt for that review",
		},
		{
			key: "save_chats", group: groupConversations, holds: line(&c.SaveChats, parseFolder), example: `"Chats/"`,
			about: "Folder in the vault where ended conversations are saved as notes",
		},

		{
			key: "vault", group: groupVault, env: "CHATVAULT_VAULT", holds: line(&c.Vault, parseName), example: `"~/Notes"`,
			about: "The vault to open when none is named or found",
		},
		{key: "journal_days", group: groupVault, holds: number(&c.JournalDays, 30, 1, 36_500), about: "Days for which a change can be undone"},
		{key: "journal_megabytes", group: groupVault, holds: number(&c.JournalMegabytes, 500, 1, 1_000_000), about: "The most megabytes kept for that"},
		{
			key: "log_level", group: groupVault, env: "CHATVAULT_LOG",
			holds: choice(&c.LogLevel, "info", "debug", "warn", "error"),
			about: "How much is written to chatvault.log, in the vault's state folder",
		},

		{
			key: "smarthole.enabled", group: groupRouting, env: "CHATVAULT_SMARTHOLE", holds: toggle(&c.SmartHole.Enabled, false),
			about: "Accept messages that SmartHole routes here",
		},
		{
			key: "smarthole.url", group: groupRouting, holds: line(&c.SmartHole.URL, parseName), example: `"ws://127.0.0.1:9473"`,
			about: "Where SmartHole listens; empty: its default address",
		},
		{
			key: "smarthole.name", group: groupRouting, holds: words(KindText, &c.SmartHole.Name, "chatvault", parseName),
			about: "The name of this program there",
		},
		{
			key: "smarthole.description", group: groupRouting, holds: line(&c.SmartHole.Description, parseText),
			about: "What should be routed here", example: `"My notes: recipes, projects, the garden"`,
		},
		{
			key: "smarthole.token", group: groupRouting, holds: scalar(KindFixed, &c.SmartHole.Token, Secret{}, parseToken, Secret.String),
			about:   "A secret that SmartHole must prove it knows before its messages are accepted",
			example: `"a-long-random-secret"`,
		},
	}, tablesOf(c)...)
}

// tablesOf returns the settings that are tables with keys of their own.
func tablesOf(c *Config) []row {
	return []row{
		{
			key: "providers", group: groupTables, holds: table((*loader).providers),
			about: "Your own endpoints, one table each in the file",
			example: "[providers.openrouter]\napi_key_env = \"OPENROUTER_API_KEY\"\nmodel = \"anthropic/claude-sonnet-4.5\"\n\n" +
				"[providers.attic]\nbase_url = \"http://192.168.1.20:8000/v1\"\nallow_insecure = true\n\n" +
				"[providers.office]\nbase_url = \"https://gateway.example.com/v1\"\napi = \"messages\"\napi_key_env = \"OFFICE_KEY\"",
		},
		{
			key: mcpTable, group: groupTables, holds: table((*loader).mcpServers),
			about: "MCP servers whose tools the agent may use, one table each in the file",
			example: "[mcp.weather]\ncommand = \"npx\"\nargs = [\"-y\", \"weather-mcp\"]\nenv = { UNITS = \"metric\", WEATHER_KEY_command = \"pass show weather\" }\n" +
				"tools = [\"forecast\"]\n\n[mcp.tickets]\nurl = \"https://tickets.example/mcp\"\nbearer_command = \"pass show tickets\"\ntimeout_seconds = 30\nenabled = false",
		},
		{
			key: keysTable, group: groupTables, env: "CHATVAULT_KEYS", atOnce: true, holds: keyStyle(c),
			about:   "The keys of the chat",
			example: "[keys]\nstyle = \"emacs\"\ndetails = \"ctrl+x\"\npalette = [\"ctrl+p\", \"f3\"]\nsuspend = \"none\"",
		},
		{
			key: "prices", group: groupTables, holds: table((*loader).prices),
			about:   "What models cost, for /cost and budget_usd, one table each in the file",
			example: "[prices.\"openrouter/anthropic/claude-sonnet-4.5\"]\ninput = 3.0\ncached_input = 0.3\ncache_write = 3.75\noutput = 15.0",
		},
	}
}

var (
	//go:embed architecture.md
	architecture string // tells the agent how to file notes in a vault without rules of its own
	//go:embed retrospection.md
	retrospection string // asks the model to review an ended conversation
)
