package keystore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"chatvault/internal/config"
	"chatvault/internal/routine"
)

// patience limits a call of the keyring, which may ask the user to unlock it.
const patience = 30 * time.Second

var errNoKeyring = errors.New("the system's keyring does not answer")

// withTimeout runs a call of the keyring, which takes no context, and limits its duration.
func withTimeout(ctx context.Context, call func() error) error {
	done := make(chan error, 1)
	routine.Go("keyring", func() {
		defer func() {
			if v := recover(); v != nil {
				done <- fmt.Errorf("the keyring failed: %v", v)
			}
		}()
		done <- call()
	})
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-t.C:
		return errNoKeyring
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sessionBus reports whether a message bus to reach a keyring exists, on systems that need one. Without this check, a
// call would start the bus. It is a variable for tests.
var sessionBus = func() bool {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return true
	}
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return !strings.HasPrefix(address, "autolaunch:")
	}
	_, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid()))
	return err == nil
}

// keyringAvailable reports whether a keyring is available.
func (s *Store) keyringAvailable(ctx context.Context) bool {
	if !s.opt.Keyring || !sessionBus() {
		return false
	}
	err := withTimeout(ctx, func() error {
		_, err := keyring.Get(service, "is anybody there")
		return err
	})
	return err == nil || errors.Is(err, keyring.ErrNotFound)
}

// toKeyring stores a key in the keyring and reads it back. It reports whether that succeeded.
func (s *Store) toKeyring(ctx context.Context, id ID, key config.Secret) bool {
	if !s.keyringAvailable(ctx) {
		return false
	}
	if err := withTimeout(ctx, func() error { return keyring.Set(service, id.account(), key.Reveal()) }); err != nil {
		return false
	}
	back, err := s.fromKeyring(ctx, id)
	return err == nil && back.Reveal() == key.Reveal()
}

func (s *Store) fromKeyring(ctx context.Context, id ID) (key config.Secret, err error) {
	if !s.opt.Keyring || !sessionBus() {
		return key, errNoKeyring
	}
	got := make(chan config.Secret, 1)
	err = withTimeout(ctx, func() error {
		text, err := keyring.Get(service, id.account())
		got <- config.NewSecret(text)
		return err
	})
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return key, nil
	case err != nil:
		return key, fmt.Errorf("the key of %s cannot be had from the system's keyring: %w", id.Provider, err)
	}
	return <-got, nil
}

// dropFromKeyring removes a key. It is no error if there is none.
func (s *Store) dropFromKeyring(ctx context.Context, id ID) error {
	if !s.opt.Keyring || !sessionBus() {
		return errNoKeyring
	}
	err := withTimeout(ctx, func() error { return keyring.Delete(service, id.account()) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}
