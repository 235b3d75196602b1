package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	writ "github.com/writ-dev/writ/clients/go"
)

// listen opens the address. Nobody authenticates yet, so another machine may ask
// only where the operator says so.
func (f serveFlags) listen(ctx context.Context) (net.Listener, error) {
	network, address, err := f.place(ctx)
	if err != nil {
		return nil, err
	}
	if !writ.Loopback(f.Listen) && !f.Insecure {
		return nil, fmt.Errorf("--listen %s is reachable from other machines, and there is no authentication yet: listen on loopback, or add --insecure where a network policy protects the port", f.Listen)
	}
	var l net.Listener
	if network == "unix" {
		l, err = listenUnix(ctx, address)
	} else {
		l, err = new(net.ListenConfig).Listen(ctx, network, address)
	}
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w: choose another address, for example --listen 127.0.0.1:0", f.Listen, err)
	}
	return l, nil
}

// place splits the address into what package net wants.
func (f serveFlags) place(ctx context.Context) (network, address string, err error) {
	const expected = "expected host:port or unix:PATH, for example 127.0.0.1:4750"
	if path, unix := strings.CutPrefix(f.Listen, "unix:"); unix {
		if path == "" {
			return "", "", fmt.Errorf("--listen %q names no file: %s", f.Listen, expected)
		}
		return "unix", path, nil
	}
	_, port, err := net.SplitHostPort(f.Listen)
	if err == nil && port == "" {
		err = errors.New("missing port")
	}
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(ctx, "tcp", port)
	}
	if err != nil {
		return "", "", fmt.Errorf("--listen %q: %w: %s", f.Listen, err, expected)
	}
	return "tcp", f.Listen, nil
}

// listenUnix takes the place of a service that was killed. The directory is locked
// meanwhile, so that of two that try at once one finds that the other answers.
func listenUnix(ctx context.Context, path string) (_ net.Listener, err error) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir.Name(), err)
	}
	if abandoned(ctx, path) {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return new(net.ListenConfig).Listen(ctx, "unix", path)
}

// abandoned reports whether a socket is what a service that was killed left: the file
// is there and nobody answers.
func abandoned(ctx context.Context, path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeSocket {
		return false
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// listenOperator opens the operator's socket. The log is held by then, so nobody else
// serves this data directory. Where the default can't be opened the service goes without.
func (f serveFlags) listenOperator(ctx context.Context, logger *slog.Logger) (net.Listener, error) {
	path := cmp.Or(f.Operator, filepath.Join(f.Data, operatorSocket))
	l, err := listenUnix(ctx, path)
	if err == nil {
		return l, nil
	}
	err = fmt.Errorf("the operator's socket %s: %w: name another file with --operator; its path may have about 100 bytes", path, err)
	if f.Operator != "" {
		return nil, err
	}
	logger.Warn("no operator's socket, so nothing can be erased", "error", err)
	return nil, nil
}
