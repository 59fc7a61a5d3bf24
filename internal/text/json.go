package text

import (
	"bytes"
	"encoding/json"
	"io"
)

// Encoder writes JSON for people and programs, a value a line: nothing is escaped that need not be.
func Encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// WriteJSON writes a value as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	e := Encoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// JSON is a value as a line of it, without the line's end.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	err := Encoder(&b).Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}
