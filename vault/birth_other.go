//go:build !linux

package vault

import "time"

// birthTime is not known here.
func (p *place) birthTime() time.Time { return time.Time{} }
