package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode"

	"chatvault/internal/base/process"
)

// keyKind is the kind of a key's source.
type keyKind int

const (
	keyNone    keyKind = iota
	keyLiteral         // api_key
	keyEnv             // api_key_env
	keyCommand         // api_key_command
)

// KeySource is where the key of an endpoint comes from. The zero KeySource means not configured. Formatting it does
// not reveal a secret.
type KeySource struct {
	Origin Origin

	kind  keyKind
	value Secret // the key, the variable's name, or the command line
}

// Configured reports whether there is a source. Resolve may still fail.
func (k KeySource) Configured() bool { return k.kind != keyNone }

// LiteralKey returns a source for a known key.
func LiteralKey(key Secret, origin Origin) KeySource {
	return KeySource{origin, keyLiteral, key}
}

// EnvKey returns a source that reads an environment variable.
func EnvKey(name string, origin Origin) KeySource {
	return KeySource{origin, keyEnv, NewSecret(name)}
}

// CommandKey returns a source that runs a command line.
func CommandKey(command string, origin Origin) KeySource {
	return KeySource{origin, keyCommand, NewSecret(command)}
}

// Variable returns the environment variable that holds the key, or "".
func (k KeySource) Variable() string {
	switch {
	case k.kind == keyEnv:
		return k.value.Reveal()
	case k.kind == keyLiteral && k.Origin.Kind == Environment:
		return k.Origin.Name
	}
	return ""
}

// IsCommand reports whether a command prints the key.
func (k KeySource) IsCommand() bool { return k.kind == keyCommand }

// String describes the source without the key or the command line.
func (k KeySource) String() string {
	switch k.kind {
	case keyLiteral:
		return k.value.String()
	case keyEnv:
		return "from the variable " + k.value.Reveal()
	case keyCommand:
		return "from a command"
	default:
		return ""
	}
}

// Resolve returns the key. An unconfigured source gives an empty Secret and no error. Only Resolve runs the command,
// for at most KeyCommandTimeout.
func (k KeySource) Resolve(ctx context.Context, lookupEnv func(string) (string, bool)) (Secret, error) {
	var given string
	var err error
	setting := "api_key_env"
	switch k.kind {
	case keyEnv:
		given, _ = lookupEnv(k.value.Reveal())
	case keyCommand:
		setting = "api_key_command"
		given, err = runKeyCommand(ctx, k.value.Reveal())
		given, _, _ = strings.Cut(strings.TrimSpace(given), "\n")
	default:
		return k.value, nil
	}
	var key Secret
	if err == nil {
		if key, err = ParseKey(given); err != nil {
			err = fmt.Errorf("the key %s %w", k, err)
		}
	}
	if err != nil {
		return Secret{}, &Error{Origin: k.Origin, Key: setting, Text: err.Error()}
	}
	return key, nil
}

// ParseKey trims a key and rejects what a header cannot hold. Its error completes "KEY …" and never repeats the text.
func ParseKey(text string) (Secret, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return Secret{}, errors.New("is empty or not set")
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r > unicode.MaxASCII }):
		return Secret{}, errors.New("is not a key: it holds a space, a line break or a character outside ASCII")
	}
	return NewSecret(text), nil
}

// KeyCommandTimeout is the timeout of api_key_command. A password manager may prompt for its passphrase first.
const KeyCommandTimeout = 30 * time.Second

// runKeyCommand runs the line in the system's shell and returns its standard output. No error repeats the line or the
// output.
func runKeyCommand(ctx context.Context, line string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, KeyCommandTimeout)
	defer cancel()
	shell := []string{"/bin/sh", "-c", line}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C", line}
	}
	cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
	process.Detach(cmd) // ends with its children
	var out bytes.Buffer
	cmd.Stdout = &out           // stderr is dropped: a password manager's message may contain the key
	cmd.WaitDelay = time.Second // do not wait for a grandchild that keeps the pipe open
	err := cmd.Run()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("the command did not end within %s and was stopped", KeyCommandTimeout)
	case ctx.Err() != nil:
		return "", errors.New("stopped")
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", fmt.Errorf("the command failed (%w); run it by hand to see why", err)
	}
	return out.String(), nil
}

// masked is printed in place of a secret.
const masked = "(hidden)"

// Secret is a text that no formatting reveals, even inside another value. A function holds the text, because fmt
// prints unexported struct fields without calling their methods.
type Secret struct {
	reveal func() string
}

// NewSecret returns a Secret for text. An empty text gives the zero Secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{reveal: func() string { return text }}
}

// Reveal returns the text, for the Authorization header only.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// Empty reports whether there is no secret.
func (s Secret) Empty() bool { return s.reveal == nil }

// String returns a placeholder, or "" for an empty secret.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return masked
}

// Format writes String for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText returns String, for JSON and TOML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
