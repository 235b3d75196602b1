package main

import (
	"encoding/csv"
	"encoding/hex"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// entryPrinter prints a list, some entries at a time.
type entryPrinter interface {
	show(entries []*writv1.LogEntry) error
}

// lines prints each entry as JSON on a line of its own.
type lines struct{ to io.Writer }

func (l lines) show(entries []*writv1.LogEntry) error {
	for _, e := range entries {
		b, err := messageJSON(e)
		if err != nil {
			return err
		}
		if _, err := l.to.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// sheet prints CSV (RFC 4180) with a heading. What a spreadsheet would run as a formula
// is text in it.
type sheet struct {
	to     *csv.Writer
	headed bool
}

func newSheet(w io.Writer) *sheet {
	to := csv.NewWriter(w)
	to.UseCRLF = true
	return &sheet{to: to}
}

func sheetHeading() []string {
	return []string{
		"sequence", "time", "kind", "decision_id", "repeat", "outcome", "reason_code", "reason", "rule", "stage",
		"workspace", "automation", "release", "server", "method", "tool", "process", "on_behalf_of", "session",
		"credential", "caller", "approval_id", "result", "leaf_hash",
	}
}

func sheetRow(e *writv1.LogEntry) []string {
	entry := e.GetEntry()
	d, parties, report := entry.GetDecision(), entry.GetDecision().GetParties(), entry.GetOutcomeReported()
	id, repeat, said, result, caller := e.GetDecisionId(), "", "", "", parties.GetCaller()
	outcome, reason := final(entry)
	if d != nil {
		repeat, said = strconv.FormatBool(isRepeat(e)), outcomeWord(writv1.Outcome(outcome))
	}
	if report != nil {
		id, result, caller = report.GetDecisionId(), word(report.GetResult().String(), "RESULT_"), report.GetCaller()
	}
	return []string{
		strconv.FormatUint(e.GetPosition().GetSequence(), 10), e.GetTime().AsTime().Format(time.RFC3339Nano), kindName(entry),
		id, repeat, said, reason.GetCode(), reason.GetSentence(), reason.GetRule(), d.GetStage(),
		d.GetWorkspace(), parties.GetAutomation(), d.GetRelease(), d.GetServer(), d.GetMethod(), d.GetTool(),
		parties.GetProcess(), parties.GetOnBehalfOf(), d.GetSession(), d.GetCredential(), caller, d.GetApprovalId(),
		result, hex.EncodeToString(e.GetPosition().GetLeafHash()),
	}
}

func (s *sheet) show(entries []*writv1.LogEntry) error {
	if !s.headed {
		s.headed = true
		if err := s.to.Write(sheetHeading()); err != nil {
			return err
		}
	}
	for _, e := range entries {
		row := sheetRow(e)
		for i, cell := range row {
			row[i] = inert(cell)
		}
		if err := s.to.Write(row); err != nil {
			return err
		}
	}
	s.to.Flush()
	return s.to.Error()
}

// inert puts an apostrophe before what a spreadsheet would take for a formula.
func inert(cell string) string {
	if cell = plain(cell); cell != "" && strings.ContainsRune("=+-@", []rune(strings.TrimSpace(cell) + " ")[0]) {
		return "'" + cell
	}
	return cell
}

// plain replaces what a terminal would obey or nobody would see (R19).
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r >= 0xE0000 && r <= 0xE0FFF {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// columns prints a table that fits a width. What comes later keeps to the columns of
// what came first.
type columns struct {
	to     io.Writer
	width  int
	widths []int
}

func newColumns(w io.Writer, width int) *columns {
	if width == 0 {
		width = widthOf(w)
	}
	return &columns{to: w, width: width}
}

func (c *columns) show(entries []*writv1.LogEntry) error {
	var rows [][]string
	for _, e := range entries {
		row := listRow(e)
		for i := range row {
			row[i] = plain(row[i])
		}
		rows = append(rows, row)
	}
	if c.widths == nil {
		rows = slices.Insert(rows, 0, listHeading())
		c.widths = fit(rows, c.width)
	}
	for _, row := range rows {
		if _, err := io.WriteString(c.to, line(row, c.widths)); err != nil {
			return err
		}
	}
	return nil
}
