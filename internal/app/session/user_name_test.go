package session

import (
	"errors"
	"os/user"
	"testing"
)

func TestUserName(t *testing.T) {
	for _, tt := range []struct {
		configured string
		system     user.User
		err        error
		want       string
	}{
		{"Ines", user.User{Uid: "1000", Name: "I. M.", Username: "ines"}, nil, "Ines"},
		{"", user.User{Uid: "1000", Name: " Ines  Maier", Username: "ines"}, nil, "Ines Maier"},
		{"", user.User{Uid: "1000", Username: "ines"}, nil, "ines"},
		{"", user.User{Uid: "0", Name: "root", Username: "root"}, nil, ""},
		{"", user.User{}, errors.New("unknown"), ""},
	} {
		got := userName(tt.configured, func() (*user.User, error) { return &tt.system, tt.err })
		if got != tt.want {
			t.Errorf("%q, %+v: %q, want %q", tt.configured, tt.system, got, tt.want)
		}
	}
}
