package main

import (
	"bytes"
	"testing"
	"time"
)

// Long work shows how far it is, now and then, on one line that goes away.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(0, 0)
	p := &progress{to: &out, now: func() time.Time { return at }, began: at}
	at = at.Add(time.Second)
	p.entries(500, 1000)
	p.entries(501, 1000) // too soon
	at = at.Add(time.Second)
	p.entries(1200, 1000) // the log grew
	p.done()
	want := "\r\x1b[K[###############...............] 50 %, entry 500 of 1000, 500 a second" +
		"\r\x1b[K[##############################] 100 %, entry 1200 of 1200, 600 a second\r\x1b[K"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", &out, want)
	}
}

func TestProgressIsForTerminals(t *testing.T) {
	var out bytes.Buffer
	p := progressOn(&out)
	p.entries(1, 2)
	p.done()
	if out.Len() > 0 {
		t.Errorf("got %q, expected nothing", &out)
	}
}
