//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// figures are the ratios of a run by the names of its rows.
type figures map[string]float64

// readFigures reads what an earlier run wrote; "" is none.
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

// writeFigures keeps a run's ratios for the next to compare with. What was not measured keeps the
// figure it had, so that parts can be measured one by one.
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

// then is how a row's ratio compares with the earlier one: "×1.04".
func (f figures) then(r row) string {
	if was := f[r.name]; was != 0 {
		return fmt.Sprintf("×%-5.2f", r.value()/was)
	}
	return "  -   "
}
