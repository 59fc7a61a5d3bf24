package main_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"chatvault/internal/ptytest"
)

var picture = flag.String("picture", "", "record the chat for the README into this asciicast file (make pictures)")

// TestPicture is the README's picture, played for real: the sample vault, no key, no network.
func TestPicture(t *testing.T) {
	home := t.TempDir()
	vault := filepath.Join(home, "Sample vault")
	if err := os.CopyFS(vault, os.DirFS("testdata/vault")); err != nil {
		t.Fatal(err)
	}
	c := ptytest.Start(t, ptytest.Options{
		Path: chatvault(t), Args: []string{"--offline", "--vault", vault}, Dir: home, Width: 90, Height: 27,
		Env: ptytest.Env("HOME="+home, "XDG_CONFIG_HOME="+home+"/c", "XDG_STATE_HOME="+home+"/s"),
	})
	pause := func(d time.Duration) {
		if *picture != "" {
			time.Sleep(d)
		}
	}
	write := func(text string) {
		for _, r := range text {
			c.Type(string(r))
			pause(35 * time.Millisecond)
		}
		pause(300 * time.Millisecond)
		c.Press("enter")
	}
	c.WaitFor("For example", patience)
	pause(1200 * time.Millisecond)
	write("what was that dessert with stone fruit?")
	c.WaitFor("(Recipes/Nectarine tart.md:", patience)
	c.WaitIdle(400*time.Millisecond, patience)
	pause(2500 * time.Millisecond)
	write("add a task to it: buy nectarines on Saturday")
	c.WaitFor("Added", patience)
	c.WaitIdle(400*time.Millisecond, patience)
	pause(2500 * time.Millisecond)
	if *picture != "" {
		if err := c.SaveCast(*picture, "chatvault", 2*time.Second); err != nil {
			t.Fatal(err)
		}
	}
}
