//go:build !unix

package mcpclient

import "os/exec"

func ownGroup(*exec.Cmd) {}

func endGroup(c *exec.Cmd) {
	if c.Process != nil {
		_ = c.Process.Kill()
	}
}
