package config

import (
	"errors"
	"testing"
)

func TestSmartHole(t *testing.T) {
	c, err := layers{user: "[smarthole]\nenabled = true\nname = \"notes\""}.load(t)
	if err != nil || !c.SmartHole.Enabled.V || c.SmartHole.Name.V != "notes" || c.SmartHole.Name.Origin.Line != 3 {
		t.Errorf("%+v, %v", c.SmartHole, err)
	}
	c, err = layers{user: "[smarthole]\nenabled = true", flags: map[string]string{"smarthole.enabled": "false"}}.load(t)
	if err != nil || c.SmartHole.Enabled.V || c.SmartHole.Name.V != "chatvault" {
		t.Errorf("%+v, %v", c.SmartHole, err)
	}
	for text, key := range map[string]string{
		"smarthole = true":                 "smarthole",
		"[smarthole]\nenable = true":       "smarthole.enable",
		"[smarthole]\nenabled = \"maybe\"": "smarthole.enabled",
		"[smarthole.name]\nx = 1":          "smarthole.name",
	} {
		_, err := layers{user: text}.load(t)
		var one *Error
		if !errors.As(err, &one) || one.Key != key || one.Origin.Line == 0 {
			t.Errorf("%q: error %v does not name the line of %s", text, err, key)
		}
	}
}
