package fetch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The server is this test binary, started again with a script in its environment:
// a real process that speaks real stdio.
const scriptVariable = "WRIT_TEST_MCP_SCRIPT"

func TestMain(m *testing.M) {
	if script := os.Getenv(scriptVariable); script != "" {
		serveScript(script)
		return
	}
	goleak.VerifyTestMain(m)
}

// serveScript answers initialize, and tools/list by cursor: each line of the script
// is a cursor ("-" for none), a space, and what to print.
func serveScript(script string) {
	pages := map[string]string{}
	for _, line := range strings.Split(script, "\n") {
		cursor, answer, _ := strings.Cut(line, " ")
		pages[cursor] = answer
	}
	if banner := pages["banner"]; banner != "" {
		fmt.Println(banner)
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var q struct {
			ID     json.RawMessage
			Method string
			Params struct{ Cursor *string }
		}
		if json.Unmarshal(in.Bytes(), &q) != nil || q.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"no such method"}`
		switch q.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"scripted","version":"1"}}`
		case "tools/list":
			cursor := "-"
			if q.Params.Cursor != nil {
				cursor = "c" + *q.Params.Cursor
			}
			answer = pages[cursor]
		}
		switch answer {
		case "exit":
			return
		case "pour":
			pour()
			return
		case "leave behind":
			answer = leaveBehind()
		case "large":
			answer = `"result":{"nextCursor":"","tools":[],"x":"` + strings.Repeat("x", maxList/2) + `"}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", q.ID, answer)
	}
}

// pour prints one line until nobody reads it.
func pour() {
	for {
		if _, err := os.Stdout.WriteString(strings.Repeat("{", 1<<16)); err != nil {
			return
		}
	}
}

func fetched(t *testing.T, script ...string) ([]json.RawMessage, string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(scriptVariable, strings.Join(script, "\n"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var beside bytes.Buffer
	pages, err := Stdio(ctx, Options{Command: []string{self}, Version: "test", Stderr: &beside})
	return pages, beside.String(), err
}

// R13, R16: every page, byte for byte as the server sent it, duplicate keys and all.
func TestPagesAreKeptAsSent(t *testing.T) {
	first := `{"tools":[{"name":"b","inputSchema":{"type":"object","maximum":1e0,"x":1,"x":2}}], "nextCursor":""}`
	second := `{"nextCursor":"p2","tools":[]}`
	third := `{"tools":[{"name":"a","inputSchema":{"$schema":"s"},"annotations":{"READONLYHINT":true}}]}`
	pages, beside, err := fetched(t,
		`banner Server ready on stdio!`,
		`- "result":`+first, `c "result":`+second, `cp2 "result":`+third)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{first, second, third}
	if len(pages) != len(want) {
		t.Fatalf("%d pages, want %d: an empty cursor is not the end", len(pages), len(want))
	}
	for i := range want {
		if string(pages[i]) != want[i] {
			t.Errorf("page %d:\n got %s\nwant %s", i+1, pages[i], want[i])
		}
	}
	if !strings.Contains(beside, "Server ready") {
		t.Errorf("the banner was lost: %q", beside)
	}
}

func TestServersThatDoNotAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		says   string
	}{
		"an error":         {`- "error":{"code":-32000,"message":"not today"}`, "not today"},
		"no tools":         {`- "result":{"resources":[]}`, ErrNoTools.Error()},
		"it ends":          {`- exit`, "page 1"},
		"not an object":    {`- "result":7`, "page 1"},
		"the second fails": {"- \"result\":{\"tools\":[],\"nextCursor\":\"x\"}\ncx \"error\":{\"code\":1,\"message\":\"gone\"}", "page 2"},
	} {
		t.Run(name, func(t *testing.T) {
			pages, _, err := fetched(t, c.script)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %s, %v; want an error that says %q", pages, err, c.says)
			}
		})
	}
}

// R16: neither one line nor many pages take more memory than a list may have.
func TestServersThatSayTooMuch(t *testing.T) {
	for name, c := range map[string]struct{ script, says string }{
		"a line without end":   {"- pour", "a line of its standard output is over 16777216 bytes"},
		"pages of 8 MiB, ever": {"- large\nc large", "the pages are over 16777216 bytes together"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := fetched(t, c.script)
			if !errors.Is(err, ErrTooLong) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %.300v; want an error that says %q", err, c.says)
			}
		})
	}
}

func TestNoCommandAndNoSuchCommand(t *testing.T) {
	if _, err := Stdio(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "no server command") {
		t.Errorf("no command: %v", err)
	}
	_, err := Stdio(t.Context(), Options{Command: []string{"/nonexistent/mcp-server"}})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such command: %v", err)
	}
}
