package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// key is what the user types once the screen has a text.
type key struct {
	wait  string
	pause time.Duration // after it
	send  []string      // keys of tmux
	diff  bool          // the screen must show the change
}

// command returns the command line of the client with a terminal.
func (p *place) command() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cd %s && env", quote(filepath.Join(p.dir, "work")))
	for _, e := range p.env {
		fmt.Fprintf(&b, " %s", quote(e))
	}
	fmt.Fprintf(&b, " %s", quote(p.exe))
	for _, a := range p.chat {
		fmt.Fprintf(&b, " %s", quote(p.fill.Replace(a)))
	}
	return b.String()
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// hold waits, so that the client can be tried by hand.
func (p *place) hold() string {
	file := filepath.Join(p.dir, "run.sh")
	if err := write(file, p.command()+"\n"); err != nil {
		return err.Error()
	}
	fmt.Fprintln(os.Stderr, "In another terminal: sh "+file+"  (Ctrl+C here ends it)")
	select {}
}

// talk has the user talk to the client in a terminal of tmux, and returns its screens.
func (p *place) talk() (screens string, err error) {
	socket := filepath.Join(p.dir, "tmux")
	tmux := func(args ...string) (string, error) {
		out, err := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
		return string(out), err
	}
	file := filepath.Join(p.dir, "run.sh")
	if err := write(file, p.command()+"\n"); err != nil {
		return "", err
	}
	if out, err := tmux("new-session", "-d", "-x", "100", "-y", "40", "sh "+quote(file)); err != nil {
		return out, err
	}
	defer func() { _, _ = tmux("kill-server") }()
	limit := time.Now().Add(timeout)
	for _, k := range p.keys {
		screen := ""
		for !strings.Contains(screen, k.wait) {
			if time.Now().After(limit) {
				return screens + screen, fmt.Errorf("%q did not appear", k.wait)
			}
			time.Sleep(200 * time.Millisecond)
			if screen, err = tmux("capture-pane", "-p"); err != nil {
				return screens + screen, err
			}
		}
		screens += screen + "\n"
		if *verbose {
			fmt.Fprintln(os.Stderr, screen)
		}
		if k.diff && (!strings.Contains(screen, "-The rusty hinge") || !strings.Contains(screen, "+The oiled hinge")) {
			return screens, fmt.Errorf("the screen does not show the change")
		}
		time.Sleep(k.pause)
		for _, s := range k.send {
			time.Sleep(300 * time.Millisecond)
			if out, err := tmux("send-keys", s); err != nil {
				return screens + out, err
			}
		}
	}
	for !p.finished() && time.Now().Before(limit) {
		time.Sleep(200 * time.Millisecond)
	}
	return screens, nil
}
