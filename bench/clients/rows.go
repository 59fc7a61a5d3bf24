package main

import "time"

// client is a program that works on a vault through chatvault mcp.
type client struct {
	name     string   // of chatvault mcp config
	packages []string // of npm
	program  string   // as the packages install it
	api      string   // of the models that it uses
	settings string   // JSON that its settings file has besides the entry; for TOML, lines before it
	env      []string // $MODEL is the address of the scripted model
	run      []string // arguments; $PROMPT is what the user says
	chat     []string // arguments with a terminal, where it can ask the user; nil if it cannot
	keys     []key    // of the user there
}

// clients are the programs of make clients.
var clients = []client{
	{
		name: "claude-code", packages: []string{"@anthropic-ai/claude-code"}, program: "claude", api: "Anthropic",
		settings: `{"hasCompletedOnboarding": true, "customApiKeyResponses": {"approved": ["sk-ant-scripted"]}, "projects": {"$WORK": {"hasTrustDialogAccepted": true}}}`,
		env: []string{
			"ANTHROPIC_BASE_URL=$MODEL", "ANTHROPIC_API_KEY=sk-ant-scripted", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1",
		},
		run:  []string{"-p", "--model", "claude-sonnet-4-5", "--allowedTools", "mcp__chatvault", "--", "$PROMPT"},
		chat: []string{"--model", "claude-sonnet-4-5", "--allowedTools", "mcp__chatvault"},
		keys: []key{
			{wait: "? for shortcuts", pause: 5 * time.Second, send: []string{prompt, "Enter"}}, // its servers start beside it
			{wait: "Allow it?", diff: true, send: []string{"Right"}},
			{wait: "Allow once", send: []string{"Enter", "Enter"}},
		},
	},
	{
		name: "codex", packages: []string{"@openai/codex"}, program: "codex", api: "OpenAI responses",
		settings: `model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "$MODEL/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`,
		env:  []string{"SCRIPTED_KEY=scripted"},
		run:  []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "$PROMPT"},
		chat: []string{"--no-daemon"},
		keys: []key{
			{wait: "? for shortcuts", pause: 5 * time.Second, send: []string{prompt, "Enter"}},
			{wait: "Run the tool and continue", send: []string{"Enter"}}, // its own question
			{wait: "Allow once", diff: true, send: []string{"Enter"}},
		},
	},
	{
		name: "gemini-cli", packages: []string{"@google/gemini-cli"}, program: "gemini", api: "Gemini",
		settings: `{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true}}`,
		env:      []string{"GEMINI_API_KEY=scripted", "GOOGLE_GEMINI_BASE_URL=$MODEL"},
		run:      []string{"--model", "gemini-2.5-pro", "--yolo", "--prompt", "$PROMPT"},
	},
	{
		name: "opencode", packages: []string{"opencode-ai"}, program: "opencode", api: "OpenAI chat",
		settings: `{"autoupdate": false, "share": "disabled", "permission": "allow", "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "name": "scripted",
			"options": {"baseURL": "$MODEL/v1", "apiKey": "scripted"}, "models": {"scripted": {"name": "scripted", "tool_call": true}}}}}`,
		env: []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
		run: []string{"run", "--model", "scripted/scripted", "$PROMPT"},
	},
	{
		name: "qwen-code", packages: []string{"@qwen-code/qwen-code"}, program: "qwen", api: "OpenAI chat",
		settings: `{"security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true}}`,
		env:      []string{"OPENAI_API_KEY=scripted", "OPENAI_BASE_URL=$MODEL/v1", "OPENAI_MODEL=scripted"},
		run:      []string{"--yolo", "--prompt", "$PROMPT"},
	},
	{
		name: "crush", packages: []string{"@charmland/crush"}, program: "crush", api: "OpenAI chat",
		settings: `{"providers": {"scripted": {"type": "openai-compat", "base_url": "$MODEL/v1", "api_key": "scripted", "models": [{"id": "scripted", "name": "scripted", "context_window": 200000, "default_max_tokens": 4000}]}},
			"models": {"large": {"provider": "scripted", "model": "scripted"}, "small": {"provider": "scripted", "model": "scripted"}},
			"options": {"disable_provider_auto_update": true, "disable_metrics": true}}`,
		run: []string{"run", "--quiet", "$PROMPT"},
	},
}
