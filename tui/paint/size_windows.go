package paint

import (
	"os"
	"time"
)

// notifyChanged has nothing to tell: no signal does.
func notifyChanged(chan<- os.Signal) {}

func continued(os.Signal) bool { return false }

// sizePoll is how often the console is asked for its size.
const sizePoll = 250 * time.Millisecond
