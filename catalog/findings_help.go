package catalog

// Help says of each code of a finding what it means, as docs/catalog.md does.
func Help() map[string]string {
	const narrowing = "a narrowing without what it needs (R20b)"
	return map[string]string{
		codeUnreadable:      "the file can't be read",
		codeTooLarge:        "a file, a text, the directory or the number of findings is over its bound",
		codeMisplaced:       "nothing would read the file",
		codeSyntax:          "not one YAML document",
		codeAlias:           "an anchor or alias",
		codeDuplicateKey:    "a key is stated twice in a mapping",
		codeUnknownField:    "a key that is not in the tables above",
		codeWrongType:       "a value of another kind, a tag, or invisible characters",
		codeWrongWord:       "a word that is not in the list",
		codeMissing:         "a key without which the file says nothing",
		codeFuture:          "looked at on a day that has not come",
		codeUnstated:        "one of the four traits is open (R20a)",
		codeBasisMissing:    narrowing,
		codeBasisRefused:    narrowing,
		codeRejectedMissing: narrowing,
		codeUndoWords:       "undo is possible, but not how (R8)",
		codeOwnWords:        "the server's words, or a near copy (R20e)",
		codeHintWorse:       "the server admits worse than the review says (R20d)",
		codeToolSetInvalid:  "the list is refused, or not there",
		codeToolSetMissing:  "the list is refused, or not there",
		codeFingerprint:     "the list is not the one that was pinned, or reviewed (R20c)",
		codeProse:           "descriptions or hints are not the ones that were read",
		codeRecheck:         "the tool changed after it was reviewed, and nobody has looked again",
		codeToolUnknown:     "the list does not offer the tool",
		codeToolUnreviewed:  "used but not reviewed (R20f)",
		codeContract:        "reviewed with other inputs than the pinned ones",
		codeReviewUnknown:   "the pinned review is not in the catalogue",
		codeReleaseUnknown:  "a release replaces one that the catalogue does not hold",
		codePromotion:       "the release newly can do something beyond the first stage, and no second person promoted it (R21)",
		codeDuplicate:       "a review, release, pin, action or list item occurs twice",
		codeGentler:         "warning: a release's statement changes nothing",
		codeSchema:          "warning: every call of the tool will be refused",
	}
}
