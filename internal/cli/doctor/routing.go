package doctor

import (
	"cmp"

	"chatvault/internal/config"
	"chatvault/internal/smarthole"
)

// checkRouting looks at what is configured of SmartHole, where anything is.
func checkRouting(o Options, cfg *config.Config) []finding {
	if cfg == nil || !cfg.SmartHole.Enabled.V && !cfg.SmartHole.URL.Set() && !cfg.SmartHole.Name.Set() && !cfg.SmartHole.Description.Set() {
		return nil
	}
	c := cfg.SmartHole
	if err := o.CheckRouting(c); err != nil {
		return []finding{{area: "smarthole", text: "no messages can be routed here", bare: "no messages can be routed here", why: err.Error(), todo: "correct the setting"}}
	}
	return []finding{{area: "smarthole", text: "listens for messages at " + cmp.Or(c.URL.V, smarthole.DefaultURL) + " as " + c.Name.V, bare: "it listens"}}
}
