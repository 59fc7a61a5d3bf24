//go:build !race

package offline_test

const raced = false
