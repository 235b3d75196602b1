package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing/fstest"
	"time"
)

// serveFlags say what to serve and where; serve and demo share them.
type serveFlags struct {
	Listen     string   `default:"127.0.0.1:4750" env:"WRIT_LISTEN" help:"Address: host:port, or unix:PATH."`
	Operator   string   `env:"WRIT_OPERATOR" type:"path" help:"Unix socket for the operator's own commands (writ log erase), which only root and this account may use; default: operator.sock in the data directory."`
	Insecure   bool     `env:"WRIT_INSECURE" help:"Allow an address that is not loopback. There is no authentication and no TLS yet: whoever reaches the port can ask."`
	Data       string   `default:"writ-data" env:"WRIT_DATA" type:"path" help:"Directory of the log. Created where it is missing."`
	Keys       string   `env:"WRIT_KEYS" type:"path" help:"Directory of the log's keys, outside of the data; default: the data directory's name and .keys."`
	Anchor     string   `env:"WRIT_ANCHOR" type:"path" help:"File that keeps the newest checkpoint, best on another volume; default: anchor among the keys."`
	Witness    string   `env:"WRIT_WITNESS" help:"Address of a witness (C2SP tlog-witness) that signs each newer checkpoint: its submission prefix, https://HOST/PREFIX. No answer waits for it."`
	WitnessKey string   `env:"WRIT_WITNESS_KEY" help:"The witness's verifier key, of the Ed25519 cosignature kind. Required with --witness."`
	Reserve    uint64   `default:"268435456" env:"WRIT_RESERVE" help:"Bytes of free space below which decisions are refused (UNAVAILABLE); at least 96 MiB."`
	Segment    byteSize `default:"64MiB" env:"WRIT_SEGMENT" help:"Size of a log file, 512KiB to 4GiB. What is pruned goes in whole files."`
	KeepFor    age      `env:"WRIT_KEEP_FOR" help:"Prune log files all of whose entries are older, as 400d; the newest two stay. Default: keep everything."`
	KeepBytes  byteSize `env:"WRIT_KEEP_BYTES" help:"Prune the oldest log files while they are larger in sum, as 100GiB; blobs and index come on top. Default: keep everything."`
	Archive    string   `env:"WRIT_ARCHIVE" help:"Directory that pruned entries are exported to before, which is then verified; or none, to keep nothing of them. Required with --keep-for or --keep-bytes."`
	Catalog    string   `env:"WRIT_CATALOG" type:"existingdir" help:"Directory of reviews and releases."`
	Policy     string   `env:"WRIT_POLICY" type:"existingdir" help:"Directory of the policy; replaces the built-in one."`
	LogLevel   string   `enum:"debug,info,warn,error" default:"info" env:"WRIT_LOG_LEVEL" help:"debug, info, warn or error."`
}

type serveCmd struct {
	serveFlags
}

func (serveCmd) Help() string {
	return "Example:\n  writ serve --data /var/lib/writ --keys /etc/writ/keys --catalog ./catalog\n\nWithout --catalog nothing is reviewed, so every tool of every server is refused.\nStops in order at SIGINT, SIGTERM or SIGHUP; a changed policy or catalogue is read at the next start."
}

func (c serveCmd) Run(ctx context.Context, s streams) error {
	running, err := startService(ctx, c.serveFlags, c.catalogFS(fstest.MapFS{}), s)
	if err != nil {
		return err
	}
	if c.Catalog == "" {
		running.logger.Warn("there is no catalogue, so every tool of every server is refused: name one with --catalog; writ catalog init makes one to start from")
	}
	return running.untilDone(ctx)
}

func (f serveFlags) logger(s streams) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: level}))
}

// stopGrace is how long calls under way may take once the service stops.
const stopGrace = 10 * time.Second

// account is who started the service, as the operating system knows it.
func account() string {
	for _, name := range []string{"USER", "LOGNAME"} {
		if who := os.Getenv(name); who != "" {
			return who
		}
	}
	return fmt.Sprintf("uid %d", os.Getuid())
}
