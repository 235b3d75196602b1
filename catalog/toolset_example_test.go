package catalog_test

import (
	"fmt"

	"github.com/writ-dev/writ/catalog"
)

// The example of the package comment.
func ExampleParseToolSet() {
	ts, err := catalog.ParseToolSet([]byte(`{"tools": [{"name": "add", "description": "Adds.", "inputSchema": {
	  "type": "object", "required": ["b", "a"],
	  "properties": {"a": {"type": "number", "title": "A"}, "b": {"type": "number"}}}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n%s\n%s\n%s\n", ts.ContractDocument(), ts.Fingerprint, ts.ProseDocument(), ts.ProseDigest)
	// Output:
	// {"tools":{"add":{"input":{"properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"],"type":"object"}}},"version":"fp1"}
	// fp1:0f9a35f2c0b0398d93dc00b1df7d6f238279806aac5ae628b78f6c7b454dc2c4
	// {"tools":{"add":{"description":"Adds.","input":{"properties":{"a":{"title":"A"}}}}},"version":"pd1"}
	// pd1:3df40515d826285f22044102d1112cd5093a231351be0fd51017908cb6c861a5
}

func ExampleDiff() {
	reviewed, _ := catalog.ParseToolSet([]byte(`[{"name":"send_mail","inputSchema":{"properties":{"to":{"type":"string"}}}}]`))
	found, _ := catalog.ParseToolSet([]byte(`[{"name":"send_mail","description":"Sends.","inputSchema":{
	  "properties":{"to":{"type":"array"},"bcc":{"type":"string"}},"required":["bcc"]}}]`))
	for _, change := range catalog.Diff(reviewed, found) {
		fmt.Println(change.Words)
	}
	// Output:
	// `send_mail` newly requires `bcc`
	// `send_mail`: `to` type changed from string to array
	// `send_mail`: the description changed
}
