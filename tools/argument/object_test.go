package argument

import (
	"strings"
	"testing"
)

func TestInteger(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "12": "12", "-7": "-7", "2.50e1": "25", "9007199254740992": "9007199254740992",
		"0.5": "", "1e-9": "", "1e-999999999": "", "1e999999999": "", "9007199254740994": "", "03": "", "+3": "", "0x10": "",
		"1/2": "", "": "", "NaN": "", "Infinity": "", "3": "3",
	} {
		got, ok := integer(strings.TrimSpace(text))
		if string(got) != want || ok != (want != "") {
			t.Errorf("integer(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
}
