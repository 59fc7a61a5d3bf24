package config

import (
	"fmt"
	"math"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/loopback"
	"chatvault/internal/text"
)

// A parser makes a value of what a TOML file holds (string, int64, float64, bool,
// []any), or of the word that a flag or a variable holds. Its error completes the
// sentence "KEY: …".
type parser[T any] func(raw any) (T, error)

// word is the value of a flag or a variable: a number or a truth value written as a
// text is right there and a mistake in a file.
type word string

// plain makes a text of a word and leaves the rest alone.
func plain(raw any) any {
	if w, ok := raw.(word); ok {
		return string(w)
	}
	return raw
}

// typeName names what a file holds, for an error.
func typeName(raw any) string {
	switch raw.(type) {
	case string:
		return "a text"
	case int64:
		return "a whole number"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	case []any, []map[string]any:
		return "a list"
	case map[string]any:
		return "a table"
	default:
		return "a date"
	}
}

func parseBool(raw any) (bool, error) {
	switch v := raw.(type) {
	case bool:
		return v, nil
	case word:
		switch strings.ToLower(strings.TrimSpace(string(v))) {
		case "true", "yes", "on", "1":
			return true, nil
		case "false", "no", "off", "0":
			return false, nil
		}
		return false, fmt.Errorf("must be true or false, not %q", v)
	}
	return false, fmt.Errorf("must be true or false, not %s", typeName(raw))
}

func parseInt(minimum, maximum int) parser[int] {
	return func(raw any) (int, error) {
		var n int64
		switch v := raw.(type) {
		case int64:
			n = v
		case word:
			parsed, err := strconv.ParseInt(strings.TrimSpace(string(v)), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("must be a whole number from %d to %d, not %q", minimum, maximum, v)
			}
			n = parsed
		default:
			return 0, fmt.Errorf("must be a whole number from %d to %d, not %s", minimum, maximum, typeName(raw))
		}
		if n < int64(minimum) || n > int64(maximum) {
			return 0, fmt.Errorf("must be from %d to %d, not %d", minimum, maximum, n)
		}
		return int(n), nil
	}
}

// parseAmount takes a number of dollars that is not negative.
func parseAmount(raw any) (float64, error) {
	var amount float64
	switch v := raw.(type) {
	case int64:
		amount = float64(v)
	case float64:
		amount = v
	case word:
		parsed, err := strconv.ParseFloat(strings.TrimSpace(string(v)), 64)
		if err != nil {
			return 0, fmt.Errorf("must be an amount in dollars such as 0.50, not %q", v)
		}
		amount = parsed
	default:
		return 0, fmt.Errorf("must be an amount in dollars such as 0.50, not %s", typeName(raw))
	}
	if math.IsNaN(amount) || math.IsInf(amount, 0) || amount < 0 {
		return 0, fmt.Errorf("must be an amount in dollars, zero or more")
	}
	return amount, nil
}

// maxText bounds a text of the configuration, in bytes.
const maxText = 64 << 10

func parseText(raw any) (string, error) {
	s, ok := plain(raw).(string)
	switch {
	case !ok:
		return "", fmt.Errorf("must be text in quotes, not %s", typeName(raw))
	case !utf8.ValidString(s):
		return "", fmt.Errorf("must be valid UTF-8")
	case len(s) > maxText:
		return "", fmt.Errorf("must be at most %d bytes long, not %d", maxText, len(s))
	}
	return s, nil
}

// parseName takes a text of one line without control characters.
func parseName(raw any) (string, error) {
	s, err := parseText(raw)
	if err != nil {
		return "", err
	}
	s = strings.TrimSpace(s)
	if strings.ContainsFunc(s, unicode.IsControl) {
		return "", fmt.Errorf("must be one line without control characters")
	}
	return s, nil
}

// parseFolder takes a folder of the vault, such as "Chats/"; no part of it is hidden.
func parseFolder(raw any) (string, error) {
	s, err := parseName(raw)
	if err != nil || s == "" {
		return "", err
	}
	folder := path.Clean(s)
	if strings.ContainsRune(s, '\\') || strings.HasPrefix(folder, "/") || strings.HasPrefix(folder, ".") || strings.Contains(folder, "/.") {
		return "", fmt.Errorf("must be a folder of the vault that is not hidden, such as \"Chats/\"")
	}
	return folder, nil
}

func parseChoice[T ~string](choices ...T) parser[T] {
	return func(raw any) (T, error) {
		names := text.Of(choices, named)
		list := strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
		s, ok := plain(raw).(string)
		if !ok {
			return "", fmt.Errorf("must be %s in quotes, not %s", list, typeName(raw))
		}
		for _, c := range choices {
			if strings.EqualFold(strings.TrimSpace(s), string(c)) {
				return c, nil
			}
		}
		return "", fmt.Errorf("must be %s, not %q", list, s)
	}
}

// parseURL takes the base of an endpoint; its error never repeats the text, which
// may hold a password.
func parseURL(raw any) (string, error) {
	s, err := parseName(raw)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return "", fmt.Errorf("is not a URL; it should look like https://host/v1")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "", fmt.Errorf("must begin with https:// (or http://) and name a host, like https://host/v1")
	case u.User != nil:
		return "", fmt.Errorf("must not hold a user name or password; put the key in api_key_env or api_key_command")
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("must not hold a ? or # part")
	}
	return strings.TrimRight(s, "/"), nil
}

// IsInsecure says whether requests to the base URL would cross a network in plain
// text: http to a host that is not this computer (loopback.Host).
func IsInsecure(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "http" {
		return false
	}
	return !loopback.Host(u.Hostname())
}

// smallestWindow is the least that a system prompt, the tools and an answer fit into, in tokens.
const smallestWindow = 4000

// parseWindow takes how many tokens a model takes in one call; 0: it is found out.
func parseWindow(raw any) (int, error) {
	n, err := parseInt(0, 100_000_000)(raw)
	if err == nil && n != 0 && n < smallestWindow {
		return 0, fmt.Errorf("must be 0 (found out) or at least %d tokens, not %d; less does not hold the instructions, the tools and an answer", smallestWindow, n)
	}
	return n, err
}

// parseModel takes a "provider/model"; an empty text is none.
func parseModel(raw any) (string, error) {
	s, err := parseName(raw)
	if err != nil || s == "" {
		return s, err
	}
	if provider, model, ok := strings.Cut(s, "/"); !ok || provider == "" || model == "" {
		return "", fmt.Errorf(`must be "provider/model", not %q`, s)
	}
	return s, nil
}

// parseFallback takes a list of "provider/model", or one text of them with commas.
func parseFallback(raw any) ([]string, error) {
	var items []any
	switch v := plain(raw).(type) {
	case []any:
		items = v
	case string:
		for part := range strings.SplitSeq(v, ",") {
			if strings.TrimSpace(part) != "" {
				items = append(items, part)
			}
		}
	default:
		return nil, fmt.Errorf(`must be a list such as ["openrouter/some-model", "ollama/llama3.2"], not %s`, typeName(raw))
	}
	list := make([]string, 0, len(items))
	for _, item := range items {
		name, err := parseName(item)
		if err != nil {
			return nil, fmt.Errorf("each entry %w", err)
		}
		provider, model, ok := strings.Cut(name, "/")
		if !ok || provider == "" || model == "" {
			return nil, fmt.Errorf(`each entry must be "provider/model", not %q`, name)
		}
		list = append(list, name)
	}
	return list, nil
}
