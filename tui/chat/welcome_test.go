package chat

import (
	"strings"
	"testing"
)

// If no model can be selected, the first screen instead tells the user how to start with one.
func TestWelcomeOffersOnlyWhatCanBeChosen(t *testing.T) {
	for _, d := range []WelcomeData{{Offline: true, Choose: "/model"}, {Offline: true, Fixed: "start chatvault without --offline"}} {
		text := d.model()
		if strings.Contains(text, "/model") != (d.Choose != "") || strings.Contains(text, "start chatvault without --offline") != (d.Fixed != "") {
			t.Errorf("%+v: %s", d, text)
		}
	}
}
