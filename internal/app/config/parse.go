package config

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/base/loopback"
	"chatvault/internal/base/text"
)

// A parser checks and converts a TOML value (string, int64, float64, bool, []any), or a word. Its error completes the
// sentence "KEY: …".
type parser[T any] func(raw any) (T, error)

// word is typed text for a setting that is not text, if it is none of the setting's values.
type word string

// typed converts input from a flag, a variable or the screen to a TOML value.
func (k SettingKind) typed(typed string) any {
	trimmed := strings.TrimSpace(typed)
	switch k {
	case KindSwitch:
		switch strings.ToLower(trimmed) {
		case "true", "yes", "on", "1":
			return true
		case "false", "no", "off", "0":
			return false
		}
	case KindNumber:
		if n, err := strconv.ParseInt(trimmed, 10, 64); err == nil {
			return n
		}
	case KindAmount:
		if x, err := strconv.ParseFloat(trimmed, 64); err == nil {
			return x
		}
	case KindList:
		return splitList(trimmed)
	default:
		return typed
	}
	return word(typed)
}

// splitList splits typed text at commas. Commas in braces belong to a glob.
func splitList(typed string) []any {
	items, depth, from := []any{}, 0, 0
	for i, r := range typed + "," {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth = max(depth-1, 0)
		case r == ',' && (depth == 0 || i == len(typed)):
			if item := strings.TrimSpace(typed[from:i]); item != "" {
				items = append(items, item)
			}
			from = i + 1
		}
	}
	return items
}

// not describes an unexpected value in an error: its type, or what was typed.
func not(raw any) string {
	switch v := raw.(type) {
	case word:
		return fmt.Sprintf("not %q", string(v))
	case string:
		return "not a text"
	case int64:
		return "not a whole number"
	case float64:
		return "not a number"
	case bool:
		return "not true or false"
	default:
		return "not a list, a table or a date"
	}
}

func parseBool(raw any) (bool, error) {
	b, ok := raw.(bool)
	if !ok {
		return false, fmt.Errorf("must be true or false, %s", not(raw))
	}
	return b, nil
}

func parseInt(minimum, maximum int) parser[int] {
	return func(raw any) (int, error) {
		switch n, ok := raw.(int64); {
		case !ok:
			return 0, fmt.Errorf("must be a whole number from %d to %d, %s", minimum, maximum, not(raw))
		case n < int64(minimum) || n > int64(maximum):
			return 0, fmt.Errorf("must be from %d to %d, not %d", minimum, maximum, n)
		default:
			return int(n), nil
		}
	}
}

// parseAmount parses a nonnegative number of dollars.
func parseAmount(raw any) (float64, error) {
	amount, ok := raw.(float64)
	if n, whole := raw.(int64); whole {
		amount, ok = float64(n), true
	}
	switch {
	case !ok:
		return 0, fmt.Errorf("must be an amount in dollars such as 0.50, %s", not(raw))
	case math.IsNaN(amount) || math.IsInf(amount, 0) || amount < 0:
		return 0, errors.New("must be an amount in dollars, zero or more")
	}
	return amount, nil
}

func parseText(raw any) (string, error) {
	s, ok := raw.(string)
	switch {
	case !ok:
		return "", fmt.Errorf("must be text in quotes, %s", not(raw))
	case !utf8.ValidString(s):
		return "", errors.New("must be valid UTF-8")
	}
	return s, nil
}

// parseName parses a text of one line without control characters.
func parseName(raw any) (string, error) {
	s, err := parseText(raw)
	if err != nil {
		return "", err
	}
	s = strings.TrimSpace(s)
	if strings.ContainsFunc(s, unicode.IsControl) {
		return "", errors.New("must be one line without control characters")
	}
	return s, nil
}

// parseFolder parses a folder of the vault, such as "Chats/", without hidden parts.
func parseFolder(raw any) (string, error) {
	s, err := parseName(raw)
	if err != nil || s == "" {
		return "", err
	}
	folder := path.Clean(s)
	if strings.ContainsRune(s, '\\') || strings.HasPrefix(folder, "/") || strings.HasPrefix(folder, ".") || strings.Contains(folder, "/.") {
		return "", errors.New("must be a folder of the vault that is not hidden, such as \"Chats/\"")
	}
	return folder, nil
}

func parseChoice[T ~string](choices ...T) parser[T] {
	return func(raw any) (T, error) {
		names := text.Of(choices, named)
		list := strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
		s, ok := raw.(string)
		if !ok {
			return "", fmt.Errorf("must be %s in quotes, %s", list, not(raw))
		}
		for _, c := range choices {
			if strings.EqualFold(strings.TrimSpace(s), string(c)) {
				return c, nil
			}
		}
		return "", fmt.Errorf("must be %s, not %q", list, s)
	}
}

// parseURL parses the base URL of an endpoint. Its error never repeats the text, which may contain a password.
func parseURL(raw any) (string, error) {
	s, err := parseName(raw)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(s)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "", errors.New("must begin with https:// (or http://) and name a host, like https://host/v1")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return "", errors.New("must not hold a user name, a password, ? or #; put the key in api_key_env or api_key_command")
	}
	return strings.TrimRight(s, "/"), nil
}

// IsInsecure reports whether requests to the base URL would cross a network unencrypted: http to a host other than
// this computer (loopback.Host).
func IsInsecure(baseURL string) bool {
	u, err := url.Parse(baseURL)
	return err == nil && u.Scheme == "http" && !loopback.Host(u.Hostname())
}

// smallestWindow is the minimum for a system prompt, the tools and an answer, in tokens.
const smallestWindow = 4000

// parseWindow parses the size of a context window in tokens; zero means detected.
func parseWindow(raw any) (int, error) {
	n, err := parseInt(0, 100_000_000)(raw)
	if err == nil && n != 0 && n < smallestWindow {
		return 0, fmt.Errorf("must be 0 (found out) or at least %d tokens, not %d; less does not hold the instructions, the tools and an answer", smallestWindow, n)
	}
	return n, err
}

// parseModel parses a "provider/model".
func parseModel(raw any) (string, error) {
	s, err := parseName(raw)
	if provider, model, _ := strings.Cut(s, "/"); err == nil && (provider == "" || model == "") {
		return "", fmt.Errorf(`must be "provider/model", not %q`, s)
	}
	return s, err
}

// parseFallback parses a list of "provider/model".
var parseFallback = parseList(`a list such as ["openrouter/some-model", "ollama/llama3.2"]`, parseModel)

// parseList parses a list of texts. want describes it in the error.
func parseList(want string, each parser[string]) parser[[]string] {
	return func(raw any) ([]string, error) {
		items, ok := raw.([]any)
		if !ok {
			return nil, fmt.Errorf("must be %s, %s", want, not(raw))
		}
		list := make([]string, 0, len(items))
		for _, item := range items {
			s, err := each(item)
			if err != nil {
				return nil, fmt.Errorf("each entry %w", err)
			}
			list = append(list, s)
		}
		return list, nil
	}
}

// APIs are the supported protocols of an endpoint.
var APIs = []string{"chat", "messages", "responses"}
