package ledger

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// readBlobFunc returns a blob's content by its name.
type readBlobFunc func(name string) ([]byte, error)

// eachBlob visits the blobs that an entry names. A list of files comes before the
// files in it, and is read to know them. Errors: visit's and read's.
func eachBlob(e decisions.Envelope, read readBlobFunc, visit func(name string) error) error {
	switch e.Kind {
	case decisions.KindLogCreated:
		created, err := parseCreated(e.Body)
		if state := created.GetRestored().GetStateSha256(); err == nil && state != "" {
			err = visit(state)
		}
		return err
	case decisions.KindPolicyActivated:
		var p ledgerv1.PolicyActivated
		if err := proto.Unmarshal(e.Body, &p); err != nil {
			return err
		}
		return eachFile(p.GetFiles(), p.GetFilesSha256(), read, visit)
	case decisions.KindCatalogActivated:
		var c ledgerv1.CatalogActivated
		if err := proto.Unmarshal(e.Body, &c); err != nil {
			return err
		}
		return eachFile(c.GetFiles(), c.GetFilesSha256(), read, visit)
	case decisions.KindDecision:
		names, err := decisions.DecisionBlobs(e.Body)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := visit(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachFile visits the blobs of a list, which stands in the entry or is a blob itself.
func eachFile(files []*ledgerv1.File, list string, read readBlobFunc, visit func(name string) error) error {
	if list != "" {
		if err := visit(list); err != nil {
			return fmt.Errorf("the list of files: %w", err)
		}
		content, err := read(list)
		if err != nil {
			return fmt.Errorf("the list of files: %w", err)
		}
		var all ledgerv1.FileList
		if err := proto.Unmarshal(content, &all); err != nil {
			return fmt.Errorf("the list of files: %w", err)
		}
		files = all.GetFiles()
	}
	for _, f := range files {
		if err := visit(f.GetSha256()); err != nil {
			return fmt.Errorf("%s: %w", f.GetPath(), err)
		}
	}
	return nil
}
