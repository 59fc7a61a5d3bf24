//go:build unix && !darwin

package keystore

import (
	"fmt"
	"os"
	"strings"
)

// sessionBus says whether there is a message bus to reach a keyring by. Without this look the
// bus would be started for it. A variable, so that a test can stand in for the bus.
var sessionBus = func() bool {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address != "" {
		return !strings.HasPrefix(address, "autolaunch:")
	}
	_, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid()))
	return err == nil
}
