package readset

import (
	"reflect"
	"testing"
)

func TestChangeLines(t *testing.T) {
	created := Change{Verb: "created", Path: "a"}
	edited := Change{Verb: "edited", Path: "a"}
	for _, tt := range []struct {
		name    string
		changes []Change
		want    []string
	}{
		{"nothing", nil, nil},
		{"an edit of what was created", []Change{created, edited, edited}, []string{"created a", "edited a"}},
		{"edits once", []Change{edited, edited}, []string{"edited a"}},
		{"an edit before an overwrite", []Change{edited, {Verb: "overwrote", Path: "a"}, edited}, []string{"edited a", "overwrote a"}},
		{"created, moved, edited", []Change{created, {Verb: "moved", Path: "a", To: "b"}, {Verb: "edited", Path: "b"}}, []string{"created a", "moved a → b", "edited b"}},
		{"deleted and created again", []Change{created, {Verb: "deleted", Path: "a"}, created}, []string{"created a", "deleted a", "created a"}},
		{"a name with a line end", []Change{{Verb: "edited", Path: "a\nb"}}, []string{`edited "a\nb"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := changeLines(tt.changes); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
