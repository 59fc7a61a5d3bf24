package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
)

// smallDisk returns the root of a file system of 512 KiB. It skips the test without the right to mount one.
func smallDisk(t *testing.T) *os.Root {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skip("no right to mount: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// TestFullDisk: on a file system of 512 KiB that is full a message is refused with the reason;
// one that fills up while the model answers loses nothing, and all goes on once there is room.
// It needs the right to mount.
func TestFullDisk(t *testing.T) {
	root := smallDisk(t)
	dir := root.Name()
	fill := filepath.Join(dir, "fill")
	full := func() {
		if err := os.WriteFile(fill, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("the disk is not full: %v", err)
		}
	}
	fills := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		full()
		var long strings.Builder
		for i := range 1000 { // one that repeats itself would be cut
			_, _ = fmt.Fprintf(&long, "line %d ", i)
		}
		say(long.String())(ctx, req, yield)
	}
	h := start(t, root, box(), say("fine"), fills, say("again"))
	h.send("one")
	wait[event.TurnFinished](h)

	full()
	if _, err := h.Submit(context.Background(), event.Inbound{Text: "refused"}); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "was not sent") {
		t.Errorf("error %v", err)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	two := h.send("two")
	f := wait[event.TurnFinished](h)
	if n := len(h.turns()); n != 1 || !slices.Contains(kinds(h.seen), "Notice") || f.Response == "" || !f.Unrecorded {
		t.Errorf("%d turns on record, %v", n, kinds(h.seen))
	}
	if ids := h.inboxIDs(); !slices.Equal(ids, []string{two.ID}) {
		t.Errorf("inbox: %v", ids)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if err := h.Retry(two.ID); err != nil {
		t.Fatal(err)
	}
	wait[event.TurnFinished](h)
	if n := len(h.turns()); n != 2 || len(h.inboxIDs()) > 0 {
		t.Errorf("%d turns on record, inbox %v", n, h.inboxIDs())
	}
	for _, folder := range []string{".", inbox.Folder, "conversations"} {
		if temps, _ := filepath.Glob(filepath.Join(dir, folder, ".chatvault-tmp-*")); len(temps) > 0 {
			t.Errorf("left: %v", temps)
		}
	}
}
