package chat

import (
	"strings"
	"testing"
)

// If no model can be selected, the first screen instead tells the user how to start with one.
func TestWelcomeOffersOnlyWhatCanBeChosen(t *testing.T) {
	for _, width := range []int{30, 90} {
		for _, d := range []WelcomeData{{Offline: true, Choose: "/model"}, {Offline: true, Fixed: "start chatvault without --offline"}} {
			text := strings.Join(strings.Fields(d.model(width)), " ")
			if strings.Contains(text, "/model") != (d.Choose != "") || strings.Contains(text, "start chatvault without --offline") != (d.Fixed != "") {
				t.Errorf("%d cells, %+v: %s", width, d, text)
			}
		}
	}
}
