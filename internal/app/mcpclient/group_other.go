//go:build !unix

package mcpclient

import "os/exec"

func ownGroup(*exec.Cmd) {}

func (p *process) kill() { _ = p.Command.Process.Kill() }
