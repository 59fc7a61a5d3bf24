package e2e

import (
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"chatvault/internal/llmtest/hubtest"
)

// hubKey is the key of a script's SmartHole among its values.
type hubKey struct{}

type hubs struct{ current *hubtest.Hub }

func hub(ts *testscript.TestScript) *hubtest.Hub {
	h := ts.Value(hubKey{}).(*hubs).current
	if h == nil {
		ts.Fatalf("no SmartHole: call hub first")
	}
	return h
}

func cmdHub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: hub")
	}
	h, err := hubtest.Start()
	ts.Check(err)
	ts.Value(hubKey{}).(*hubs).current = h
	ts.Setenv("HUB", h.URL())
	ts.Defer(func() {
		h.Close()
		for _, v := range h.Violations() {
			refused.add(ts.Name() + ": the SmartHole refused " + v)
		}
	})
}

func cmdRoutes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: routes ID METHOD TEXT…")
	}
	h := hub(ts)
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := h.Send(args[0], strings.Join(args[2:], " "), args[1])
		if err == nil {
			return
		}
		if time.Now().After(end) {
			ts.Check(err)
		}
	}
}

func cmdTold(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: [!] told ID TYPE REGEXP")
	}
	re, err := regexp.Compile(args[2])
	ts.Check(err)
	wait := 10 * time.Second
	if neg {
		wait = 0
	}
	h := hub(ts)
	ok := h.Await(wait, func(_ int, all []hubtest.Response) bool {
		for _, r := range all {
			if r.MessageID == args[0] && r.Type == args[1] && re.MatchString(strings.Join([]string{r.Payload.Priority, r.Payload.Title, r.Payload.Body, r.Payload.Reason}, " | ")) {
				return true
			}
		}
		return false
	})
	if ok == neg {
		ts.Fatalf("told: %+v", h.Responses())
	}
}

func cmdLeaves(ts *testscript.TestScript, _ bool, _ []string) { hub(ts).Away() }

func cmdReturns(ts *testscript.TestScript, _ bool, _ []string) { ts.Check(hub(ts).Back()) }
