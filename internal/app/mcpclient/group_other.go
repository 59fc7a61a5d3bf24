//go:build !unix

package mcpclient

import "os/exec"

func ownGroup(*exec.Cmd) {}

func (p *process) terminate() { p.kill() }

func (p *process) kill() { _ = p.Process.Kill() }
