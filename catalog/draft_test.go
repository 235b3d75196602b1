package catalog

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

// R13: a draft pins what the catalogue holds, and passes the check as it is.
func TestDraft(t *testing.T) {
	for _, test := range []struct {
		name string
		uses []string
		want string // the tools that it lists, or what its error says
	}{
		{"all that is reviewed", nil, "search, send"},
		{"one server", []string{"mail"}, "search, send"},
		{"one tool", []string{"mail:send"}, "send"},
		{"two tools", []string{"mail:send,search"}, "send, search"},
		{"a server that nobody reviewed", []string{"mial"}, `no review of server "mial": did you mean mail?`},
		{"a tool that nobody reviewed", []string{"mail:sned"}, `reviews/mail.yaml states nothing about a tool "sned": did you mean send?`},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys := edited(t, triage, "${fp:toolsets/mail.json}", "fp1:0") // the release that is put right
			draft, err := Draft{Workspace: "demo", Automation: "triage", Version: "1", Author: "mail-team", Stage: "limited", Uses: test.uses}.Write(fsys, today())
			if err != nil {
				if !strings.Contains(err.Error(), test.want) {
					t.Errorf("%v, want %q", err, test.want)
				}
				return
			}
			fsys[triage] = &fstest.MapFile{Data: draft}
			if list := Check(fsys, today(), stageOrder()...); len(list) > 0 {
				t.Fatalf("the draft has findings: %v\n%s", list, draft)
			}
			c := loaded(t, fsys)
			var tools []string
			for _, line := range strings.Split(string(draft), "\n") {
				if name, ok := strings.CutPrefix(line, "      - "); ok {
					tools = append(tools, name)
				}
			}
			if got := strings.Join(tools, ", "); got != test.want {
				t.Errorf("tools %s, want %s", got, test.want)
			}
			if pin := c.releases[releaseKey{"demo", "triage", "1"}].pins[pinKey{"mail", ""}]; !pin.reviewPinned {
				t.Error("the review is not pinned")
			}
		})
	}
}

func TestDraftOfOpenReview(t *testing.T) {
	fsys := edited(t, "reviews/mail.yaml", "    risk: low\n", "")
	_, err := Draft{Workspace: "demo", Automation: "a", Version: "1", Author: "b", Stage: "c"}.Write(fsys, today())
	if refused := (*FindingsError)(nil); !errors.As(err, &refused) || refused.Findings[0].Code != codeUnstated {
		t.Errorf("got %v, want what is open", err)
	}
}

// Where nothing is reviewed, nothing is used.
func TestDraftOfNothing(t *testing.T) {
	draft, err := Draft{Workspace: "w", Automation: "a", Version: "1.10", Author: "b", Stage: "c", Replaces: "1.9"}.Write(fstest.MapFS{}, today())
	const want = "workspace: w\nautomation: a\nrelease: \"1.10\"\nstage: c\nauthor: b\nreplaces: \"1.9\"\nservers: []\n"
	if err != nil || string(draft) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, draft, want)
	}
}
