//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// figures maps the names of rows to the ratios of a run.
type figures map[string]float64

// readFigures reads the figures of an earlier run. It returns nil if the file name is empty.
func readFigures(file string) (figures, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	f := figures{}
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s holds no figures of an earlier run: %w", file, err)
	}
	return f, nil
}

// writeFigures writes the ratios of a run for later comparison. Rows that were not measured keep the figures
// in the file, so that parts can be measured one by one.
func writeFigures(file string, rows []row) error {
	f, err := readFigures(file)
	if err != nil || f == nil {
		f = figures{}
	}
	for _, r := range rows {
		if r.missing == "" {
			f[r.name] = r.value()
		}
	}
	data, err := json.MarshalIndent(f, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o600)
}

// change returns a row's ratio relative to the earlier one, such as "×1.04", or "-" if there is none.
func (f figures) change(r row) string {
	if was := f[r.name]; was != 0 {
		return fmt.Sprintf("×%-5.2f", r.value()/was)
	}
	return "  -   "
}
