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

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/loopback"
	"chatvault/internal/base/text"
)

// A parser checks and converts a TOML value (string, int64, float64, bool, []any). Its error completes the sentence
// "KEY: …".
type parser[T any] func(raw any) (T, error)

// typed converts input from a flag, a variable or the screen to a TOML value. Input that is no value of the kind stays
// text.
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
		if x, err := strconv.ParseFloat(trimmed, 64); err == nil {
			return x
		}
	case KindList:
		items := []any{}
		for _, item := range listItem().FindAllString(typed, -1) {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
		return items
	}
	return typed
}

// listItem matches an item of a typed list. Commas in braces belong to a glob.
var listItem = lazyregexp.New(`(?:\{[^}]*\}|[^,])+`)

func parseBool(raw any) (bool, error) {
	b, ok := raw.(bool)
	if !ok {
		return false, errors.New("must be true or false")
	}
	return b, nil
}

func parseInt(minimum, maximum int) parser[int] {
	return func(raw any) (int, error) {
		n, ok := raw.(int64)
		if !ok || n < int64(minimum) || n > int64(maximum) {
			return 0, fmt.Errorf("must be a whole number from %d to %d", minimum, maximum)
		}
		return int(n), nil
	}
}

// parseAmount parses a nonnegative number of dollars.
func parseAmount(raw any) (float64, error) {
	amount, ok := raw.(float64)
	if n, whole := raw.(int64); whole {
		amount, ok = float64(n), true
	}
	if !ok || math.IsNaN(amount) || math.IsInf(amount, 0) || amount < 0 {
		return 0, errors.New("must be an amount in dollars, such as 0.50")
	}
	return amount, nil
}

func parseText(raw any) (string, error) {
	s, ok := raw.(string)
	if !ok || !utf8.ValidString(s) {
		return "", errors.New("must be text in quotes")
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
		given := fmt.Sprint(raw)
		for _, c := range choices {
			if strings.EqualFold(strings.TrimSpace(given), string(c)) {
				return c, nil
			}
		}
		return "", fmt.Errorf("must be %s, not %q", list, given)
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

// parseFallback parses a list of "provider/model".
var parseFallback = parseList(`a list such as ["openrouter/some-model", "ollama/llama3.2"]`, func(raw any) (string, error) {
	s, err := parseName(raw)
	if provider, model, _ := strings.Cut(s, "/"); err == nil && (provider == "" || model == "") {
		return "", fmt.Errorf(`must be "provider/model", not %q`, s)
	}
	return s, err
})

// parseList parses a list of texts. want describes it in the error.
func parseList(want string, each parser[string]) parser[[]string] {
	return func(raw any) ([]string, error) {
		items, ok := raw.([]any)
		if !ok {
			return nil, errors.New("must be " + want)
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
