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

	"chatvault/internal/app/config"
	"chatvault/internal/base/routine"
)

// patience is the timeout of the keyring, which may ask the user to unlock it.
const patience = 30 * time.Second

var errNoKeyring = errors.New("the system's keyring does not answer")

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

// ask runs a call of the keyring with a timeout.
func (s *Store) ask(ctx context.Context, call func() error) error {
	if !s.opt.Keyring || !sessionBus() {
		return errNoKeyring
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errNoKeyring)
	defer cancel()
	done := make(chan error, 1)
	routine.Go("keyring", func() {
		defer func() {
			if v := recover(); v != nil {
				done <- fmt.Errorf("the keyring failed: %v", v)
			}
		}()
		done <- call()
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// keyringAvailable reports whether there is a usable keyring.
func (s *Store) keyringAvailable(ctx context.Context) bool {
	err := s.ask(ctx, func() error {
		_, err := keyring.Get(service, "is anybody there")
		return err
	})
	return err == nil || errors.Is(err, keyring.ErrNotFound)
}

// toKeyring stores a key in the keyring and reports whether it is there.
func (s *Store) toKeyring(ctx context.Context, id ID, key config.Secret) bool {
	if err := s.ask(ctx, func() error { return keyring.Set(service, id.account(), key.Reveal()) }); err != nil {
		return false
	}
	back, err := s.fromKeyring(ctx, id)
	return err == nil && back.Reveal() == key.Reveal()
}

func (s *Store) fromKeyring(ctx context.Context, id ID) (key config.Secret, err error) {
	got := make(chan config.Secret, 1)
	err = s.ask(ctx, func() error {
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

// dropFromKeyring removes a key, if it exists.
func (s *Store) dropFromKeyring(ctx context.Context, id ID) error {
	err := s.ask(ctx, func() error { return keyring.Delete(service, id.account()) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}
