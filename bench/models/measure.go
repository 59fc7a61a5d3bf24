package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// result is the outcome of a task with its cost.
type result struct {
	Name       string   `json:"name"` // "sample/rent"
	Kind       string   `json:"kind"`
	Lang       string   `json:"lang"`
	Done       bool     `json:"done"`
	Harm       []string `json:"harm,omitempty"`
	Reason     string   `json:"reason,omitempty"` // why the task is not done; empty if it is
	Calls      int      `json:"calls"`            // model calls
	Tools      []string `json:"tools,omitempty"`  // name of each called tool, first call first
	Prompt     int      `json:"prompt_tokens"`
	Cached     int      `json:"cached_tokens"` // included in Prompt
	Completion int      `json:"completion_tokens"`
	First      float64  `json:"first_seconds"` // from the start to the first text of an answer; zero if there was none
	Seconds    float64  `json:"seconds"`       // from the start to the exit of the program
	Answer     string   `json:"answer"`
	Status     int      `json:"status"` // exit status
}

func (r result) tokens() int { return r.Prompt + r.Completion }

func (r result) progress() string {
	mark := "ok  "
	if !r.Done {
		mark = "FAIL"
	}
	return fmt.Sprintf("%s %-28s %6.1f s  %s", mark, r.Name, r.Seconds, r.Reason)
}

// measure runs a task with the chatvault binary, in a new copy of the vault and with separate state. All
// copies of a vault have the same path, so that prompts share a prefix and a server can use its cache.
func (o options) measure(ctx context.Context, v vault, t task) (result, error) {
	r := result{Name: v.name + "/" + t.name, Kind: t.kind, Lang: t.language()}
	home, notes := filepath.Join(o.temporary, "home"), filepath.Join(o.temporary, v.name, "Notes")
	if err := errors.Join(os.RemoveAll(home), os.RemoveAll(notes), os.MkdirAll(home, 0o700)); err != nil {
		return r, err
	}
	if err := os.CopyFS(notes, os.DirFS(v.dir)); err != nil {
		return r, err
	}
	before, err := readFiles(notes)
	if err != nil {
		return r, err
	}
	timed, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	args := []string{"ask", "--json", "--approval", "off", "--vault", notes}
	if o.offline {
		args = append(args, "--offline")
	} else {
		args = append(args, "--base-url", o.baseURL, "--model", o.model)
	}
	c := exec.CommandContext(timed, o.chatvault, append(args, "--", t.ask)...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // lets the program finish the current change
	c.WaitDelay = 10 * time.Second
	c.Env, c.Dir = environment(home), home
	var stderr bytes.Buffer
	c.Stderr = &stderr
	stdout, err := c.StdoutPipe()
	if err != nil {
		return r, err
	}
	began := time.Now()
	if err := c.Start(); err != nil {
		return r, err
	}
	asked, failure := r.read(stdout, began)
	waited := c.Wait() // the exit status is in c.ProcessState too
	r.Seconds, r.Status = time.Since(began).Seconds(), c.ProcessState.ExitCode()
	after, err := readFiles(notes)
	if err != nil {
		return r, err
	}
	r.Reason, r.Harm = t.judge(outcome{answer: r.Answer, asked: asked, before: before, after: after})
	switch {
	case timed.Err() != nil:
		r.Reason = fmt.Sprintf("not finished after %v", o.limit)
	case failure != "":
		r.Reason = failure
	case waited != nil && r.Answer == "":
		r.Reason = fmt.Sprintf("%v: %s", waited, shorten(stderr.String()))
	}
	r.Done = r.Reason == ""
	return r, nil
}

// read reads the events of a turn (docs/scripting.md) into r. It returns whether the agent asked a question
// and the message of the error that ended the turn, if any.
func (r *result) read(events io.Reader, began time.Time) (asked bool, failure string) {
	said, response := "", ""
	decoder := json.NewDecoder(events)
	for {
		var e struct {
			Type       string `json:"type"`
			Parent     string `json:"parent"`
			Name       string `json:"name"`
			Content    string `json:"content"`
			Response   string `json:"response"`
			Waiting    bool   `json:"is_waiting_for_response"`
			Prompt     int    `json:"prompt_tokens"`
			Cached     int    `json:"cached_tokens"`
			Completion int    `json:"completion_tokens"`
			Message    string `json:"message"`
		}
		if err := decoder.Decode(&e); err != nil {
			_, _ = io.Copy(io.Discard, events) // keeps the program from blocking on a full pipe
			r.Answer = strings.TrimSpace(said + response)
			return asked, failure
		}
		switch e.Type {
		case "usage":
			r.Calls++
			r.Prompt, r.Cached, r.Completion = r.Prompt+e.Prompt, r.Cached+e.Cached, r.Completion+e.Completion
		case "tool_started":
			r.Tools = append(r.Tools, e.Name)
		case "agent_message", "text_delta":
			if e.Parent == "" && r.First == 0 {
				r.First = time.Since(began).Seconds()
			}
			if e.Content != "" {
				said += e.Content + "\n"
			}
		case "turn_finished":
			response, asked = e.Response, e.Waiting
		case "error":
			failure = "error: " + shorten(e.Message)
		}
	}
}

// environment returns the caller's environment without chatvault's configuration and without API keys,
// except for the key of the endpoint.
func environment(home string) []string {
	env := []string{
		"HOME=" + home, "OPENAI_API_KEY=" + apiKey(), "CHATVAULT_KEYRING=off", "LC_ALL=C.UTF-8", "XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"XDG_STATE_HOME=" + filepath.Join(home, "state"), "XDG_DATA_HOME=" + filepath.Join(home, "data"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
	}
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name == "HOME" || name == "LC_ALL" || name == "OPENAI_BASE_URL" || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "CHATVAULT_") || strings.HasSuffix(name, "_API_KEY") {
			continue
		}
		env = append(env, e)
	}
	return env
}

// readFiles returns the files of a vault.
func readFiles(dir string) (files, error) {
	all, vault := files{}, os.DirFS(dir)
	err := fs.WalkDir(vault, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(vault, path)
		all[path] = string(text)
		return err
	})
	return all, err
}
