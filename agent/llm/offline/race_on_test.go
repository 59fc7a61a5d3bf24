//go:build race

package offline_test

const raced = true // by the detector, which makes everything some ten times slower
