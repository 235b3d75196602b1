// Package rego is the policy engine: facts about one call in, a verdict out.
//
// A policy is a tree of Rego files, their tests (*_test.rego) and data files
// (data.json, data.yaml, rooted at their directory as in an OPA bundle). Its rules
// contribute objects to the partial set data.writ.verdict; the strictest one is the
// answer (R11). What a rule may read and write is in docs/policy.md.
//
// # The document
//
// Of a call a policy sees exactly one JSON document, which holds only the inputs
// that the policy's rules name: Verdict.Inputs. A policy that reads the stage, the
// effect and an argument judges
//
//	{"stage":"limited","traits":{"effect":"write"},"arguments":{"amount":1.0}}
//
// Fields stand in the order of docs/policy.md, arguments last and as they were sent
// (1 and 1.0 differ); arguments that were not sent are absent. A verdict is a
// function of these bytes and of the policy's revision and of nothing else. Hence
// they are what the log keeps (R35) and what a replay needs (Policy.Replay). The key under
// which an answer is remembered is made of them, with classes in place of values that the
// rules only compare with constants.
package rego
