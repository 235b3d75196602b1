// Verifies a Writ log from its bytes: segments, batches and their chain, leaves, tree,
// and signed checkpoints, by docs/ledger-format.md. No code is shared with Writ, and no
// package is needed. It does not replay settlements and does not read blobs; `writ log
// verify` does.
//
//   node verify.mjs DIR VERIFIER_KEY [CHECKPOINT…]
//
// VERIFIER_KEY is any one of the keys that the log had. CHECKPOINT is a file with a checkpoint that was kept elsewhere, as the anchor is.
// Exit 0: the log holds. 1: it does not, and the first bad entry is named. 2: usage.

import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

class Bad extends Error {}

const sha256 = (...parts) => parts.reduce((h, p) => h.update(p), createHash('sha256')).digest();
const leafHash = (entry) => sha256(Buffer.of(0), entry);
const nodeHash = (left, right) => sha256(Buffer.of(1), left, right);

const zeros = Buffer.alloc(64 << 10);

function isZero(bytes) { // most of a segment is, so not byte by byte
  for (let at = 0; at < bytes.length; at += zeros.length) {
    const part = bytes.subarray(at, at + zeros.length);
    if (!part.equals(zeros.subarray(0, part.length))) return false;
  }
  return true;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let i = 0; i < 8; i++) n = n & 1 ? (n >>> 1) ^ 0x82f63b78 : n >>> 1;
  return n >>> 0;
});

function crc32c(...parts) {
  let crc = 0xffffffff;
  for (const part of parts) for (const b of part) crc = crcTable[(crc ^ b) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

// Signed notes.

function parseKey(text) {
  const [, name, id, hash, base64] = /^(writ\.dev\/log\/([0-9a-f]{32}))\+([0-9a-f]{8})\+(.+)$/.exec(text.trim()) ?? [];
  const raw = Buffer.from(base64 ?? '', 'base64');
  if (raw.length !== 33 || raw[0] !== 1) throw new Bad('the verifier key is not one of a log');
  const keyHash = sha256(name + '\n', raw).subarray(0, 4);
  if (keyHash.toString('hex') !== hash) throw new Bad('the verifier key has another hash than it says');
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw.subarray(1)]);
  return { text: text.trim(), name, id, keyHash, key: createPublicKey({ key: spki, format: 'der', type: 'spki' }) };
}

// signedBy says whether a note has a signature by the key that holds.
function signedBy(note, key) {
  const [body, signatures = ''] = note.split('\n\n');
  return signatures.split('\n').some((line) => {
    const [dash, name, base64] = line.split(' ');
    const raw = Buffer.from(base64 ?? '', 'base64');
    return dash === '—' && name === key.name && raw.subarray(0, 4).equals(key.keyHash)
      && verify(null, Buffer.from(body + '\n'), key.key, raw.subarray(4));
  });
}

const decimal = /^(0|[1-9]\d*)$/;

// Ring is the keys of a log, each with the smallest tree that it signs.
class Ring {
  constructor(key, statements) {
    this.keys = [{ from: 0, key: statements.length > 0 ? parseKey(statements[0].split('\n')[3] ?? '') : key }];
    statements.forEach((s) => this.add(s));
    if (!this.keys.some((k) => k.key.text === key.text)) throw new Bad(`the key ${key.keyHash.toString('hex')} is none that the log had`);
  }

  first() { return this.keys[0].key; }

  at(size) { return this.keys.findLast((k) => k.from <= size).key; }

  statement(sequence) { return this.keys.find((k) => k.statement && k.from === sequence + 1)?.statement; }

  add(statement) {
    const last = this.keys.at(-1);
    const [header, origin, size, old, next, ...more] = statement.split('\n\n')[0].split('\n');
    if (header !== 'writ.dev/key-change' || origin !== last.key.name || !decimal.test(size) || more.length > 0) throw new Bad('a change of keys is malformed');
    const key = parseKey(next);
    if (old !== last.key.text || key.name !== origin || Number(size) < last.from || this.keys.some((k) => k.key.keyHash.equals(key.keyHash))) {
      throw new Bad(`the change of keys at entry ${size} does not continue the keys before`);
    }
    if (!signedBy(statement, last.key) || !signedBy(statement, key)) throw new Bad(`the change of keys at entry ${size} is not signed by both keys`);
    this.keys.push({ from: Number(size) + 1, key, statement });
  }
}

function parseCheckpoint(file, ring) {
  const note = readFileSync(file, 'utf8');
  const lines = note.split('\n\n')[0].split('\n');
  const root = Buffer.from(lines[2] ?? '', 'base64');
  const wellFormed = lines.length === 3 && lines[0] === ring.first().name && decimal.test(lines[1]) && root.length === 32;
  if (!wellFormed || !signedBy(note, ring.at(Number(lines[1])))) throw new Bad(`${file}: no signature by the key that signs such a tree holds`);
  return { file, size: Number(lines[1]), root };
}

// readChain returns the statements of key changes: from the file that collects them, or,
// where that is missing, from the log's own entries.
function readChain(dir) {
  const file = join(dir, 'keychain');
  if (existsSync(file)) return readFileSync(file, 'utf8').split(/^(?=writ\.dev\/key-change\n)/m).filter((s) => s !== '');
  const statements = [];
  const note = (raw) => {
    const body = fields(raw)[0];
    if (body.number === 7) statements.push(keyStatement(body.value));
  };
  try {
    const begin = join(dir, 'log', 'begin');
    const all = existsSync(begin) ? fields(readFileSync(begin)) : undefined;
    if (all) fields(bytes(all, 1)).filter((f) => f.number === 7).forEach((f) => note(f.value));
    for (let n = all ? readPruned(bytes(all, 2)).segment : 0; existsSync(segmentFile(dir, n)); n++) {
      const s = new Segment(dir, n);
      if (!s.begun(true)) break;
      for (let at = 128, b; (b = s.batch(at)); at = b.end) b.entries.forEach(note);
    }
  } catch (e) { // whoever verifies says what is wrong here
    if (!(e instanceof Bad)) throw e;
  }
  return statements;
}

function keyStatement(body) { return fields(body).find((f) => f.number === 3)?.value.toString() ?? ''; }

function readCheckpoints(dir, ring, kept) {
  const log = readdirSync(join(dir, 'log')).filter((n) => n.endsWith('.checkpoint')).map((n) => join(dir, 'log', n));
  const latest = [join(dir, 'checkpoint')].filter((file) => existsSync(file));
  return [...latest, ...kept, ...log].map((file) => parseCheckpoint(file, ring));
}

// The tree: roots of complete subtrees, largest first.

class Tree {
  constructor(size = 0, nodes = []) {
    this.size = size;
    this.nodes = nodes;
  }

  append(leaf) {
    let node = leaf;
    for (let n = this.size; n % 2 === 1; n = (n - 1) / 2) node = nodeHash(this.nodes.pop(), node);
    this.nodes.push(node);
    this.size++;
  }

  root() {
    return this.nodes.length === 0 ? sha256('') : this.nodes.reduceRight((right, left) => nodeHash(left, right));
  }
}

// Protobuf, as much of it as an entry's frame needs.

function varint(b, at) {
  let value = 0n;
  for (let i = 0; i < 10 && at + i < b.length; i++) {
    value |= BigInt(b[at + i] & 0x7f) << BigInt(7 * i);
    if (b[at + i] < 0x80) return [BigInt.asUintN(64, value), at + i + 1];
  }
  throw new Bad('a number is cut short');
}

function field(b, at) {
  const [tag, afterTag] = varint(b, at);
  const [value, end] = varint(b, afterTag);
  const number = Number(tag >> 3n);
  if ((tag & 7n) === 0n) return { number, value, end };
  if ((tag & 7n) !== 2n || end + Number(value) > b.length) throw new Bad('a field is of another kind, or cut short');
  return { number, value: b.subarray(end, end + Number(value)), bytes: true, end: end + Number(value) };
}

function fields(b) {
  const all = [];
  for (let at = 0; at < b.length; at = all.at(-1).end) all.push(field(b, at));
  return all;
}

const uint = (all, number) => Number(all.find((f) => f.number === number && !f.bytes)?.value ?? 0n);
const bytes = (all, number) => all.find((f) => f.number === number && f.bytes)?.value ?? Buffer.alloc(0);

// readPruned reads what a Pruned entry says.
function readPruned(raw) {
  const [body, sequence] = fields(raw);
  const said = fields(body.value);
  const p = {
    raw, sequence: Number(sequence.value), first: uint(said, 2), segment: uint(said, 3),
    root: bytes(said, 4), state: bytes(said, 5).toString(), is: body.number === 8,
  };
  if (!p.is || p.first === 0 || p.segment === 0 || p.first > p.sequence) throw new Bad('it prunes what is not before it');
  return p;
}

// readBegin reads where the log begins: behind what was pruned, or with entry 0.
function readBegin(dir, ring) {
  const file = join(dir, 'log', 'begin');
  if (!existsSync(file)) return { segment: 0, prev: Buffer.alloc(32), time: -(2n ** 63n), tree: new Tree() };
  const all = fields(readFileSync(file));
  const [encoded, pruned] = [bytes(all, 1), readPruned(bytes(all, 2))];
  const state = fields(encoded);
  const hashes = (number) => state.filter((f) => f.number === number && f.bytes).map((f) => f.value);
  const tree = new Tree(uint(state, 2) - (uint(state, 2) % 256), hashes(5));
  hashes(6).forEach((leaf) => tree.append(leaf));
  const created = hashes(7)[0];
  const isThis = sha256(encoded).toString('hex') === pruned.state && bytes(state, 1).toString() === ring.first().id && created
    && tree.size === pruned.first && tree.size === uint(state, 2) && tree.root().equals(pruned.root) && bytes(state, 4).length === 32;
  if (!isThis) throw new Bad(`entry ${pruned.first} (${file}, offset 0): it is not the state that entry ${pruned.sequence} names`);
  for (const raw of hashes(7)) checkEntry(raw, uint(fields(raw), 13), -(2n ** 63n), ring);
  const time = BigInt.asIntN(64, state.find((f) => f.number === 3)?.value ?? 0n);
  return { file, pruned, segment: pruned.segment, prev: bytes(state, 4), time, tree };
}

// checkEntry returns the entry's time.
function checkEntry(raw, sequence, before, ring) {
  const [body, seq, time, settlement, ...more] = fields(raw);
  const inOrder = body?.bytes && body.number >= 1 && body.number <= 9
    && seq?.number === 13 && !seq.bytes && time?.number === 14 && !time.bytes
    && (!settlement || (settlement.number === 15 && settlement.bytes)) && more.length === 0;
  if (!inOrder) throw new Bad('its fields are not body, sequence, time, settlement');
  if (seq.value !== BigInt(sequence)) throw new Bad(`it says that it is entry ${seq.value}`);
  const at = BigInt.asIntN(64, time.value);
  if (at < before) throw new Bad('its time is before that of the entry before it');
  if ((sequence === 0) !== (body.number === 1)) throw new Bad('LogCreated is entry 0, and only that');
  if (sequence === 0) {
    ring.restored = fields(body.value).find((f) => f.number === 5)?.value;
    const created = Object.fromEntries(fields(body.value).map((f) => [f.number, f.value.toString()]));
    if (created[1] !== ring.first().id || created[3] !== ring.first().text) throw new Bad('the log was created with another id or key');
  }
  if (body.number === 9) {
    const about = fields(body.value).find((f) => f.number === 2)?.value ?? 0n;
    if (about >= BigInt(sequence)) throw new Bad(`it erases entry ${about}, expected one before it`);
  }
  if (body.number === 7 && keyStatement(body.value) !== ring.statement(sequence)) ring.add(keyStatement(body.value));
  if (body.number !== 7 && ring.statement(sequence)) throw new Bad('the chain of keys has the key changed here, and the entry does not');
  return at;
}

// Segments and batches.

const segmentFile = (dir, number) => join(dir, 'log', String(number).padStart(8, '0') + '.seg');

class Segment {
  constructor(dir, number) {
    this.number = number;
    this.file = segmentFile(dir, number);
    this.read();
  }

  read() { this.bytes = readFileSync(this.file); }

  // begun says whether the header holds. One that does not is that of a file which was
  // only prepared, if nothing follows it.
  begun(isLast) {
    if (!this.holds() && isLast) {
      if (isZero(this.bytes.subarray(128))) return false;
      this.read(); // a writer may have begun it since the first look
    }
    if (!this.holds()) throw new Bad(`${this.file}, offset 0: the header is damaged`);
    const b = this.bytes;
    if (b.readUInt32BE(8) !== 1) throw new Bad(`${this.file}: format ${b.readUInt32BE(8)}, expected 1`);
    if (b.readUInt32BE(12) !== this.number || b.readBigUInt64BE(40) !== BigInt(b.length)) {
      throw new Bad(`${this.file}, offset 0: the header is another file's`);
    }
    this.logId = b.toString('hex', 16, 32);
    this.first = Number(b.readBigUInt64BE(32));
    this.prev = Buffer.from(b.subarray(48, 80));
    this.mark = Buffer.from(b.subarray(80, 88));
    return true;
  }

  holds() {
    const b = this.bytes;
    return b.length >= 128 && b.toString('latin1', 0, 8) === 'WRITSEG\n' && b.readUInt32BE(88) === crc32c(b.subarray(0, 88)) &&
      isZero(b.subarray(92, 128));
  }

  // batch returns the whole batch at an offset, or undefined.
  batch(at) {
    const head = this.bytes.subarray(at, at + 60);
    if (head.length < 60 || !head.subarray(0, 8).equals(this.mark)) return undefined;
    const [length, count] = [head.readUInt32BE(8), head.readUInt32BE(12)];
    const payload = this.bytes.subarray(at + 60, at + 60 + length);
    if (length > 1048516 || count < 1 || count > 4096 || payload.length < length) return undefined;
    if (head.readUInt32BE(56) !== crc32c(head.subarray(0, 56), payload)) return undefined;
    const entries = [];
    let from = 0;
    for (; entries.length < count && from + 2 <= length; from += 2 + payload.readUInt16BE(from)) {
      entries.push(payload.subarray(from + 2, from + 2 + payload.readUInt16BE(from)));
    }
    if (entries.length !== count || from !== length) return undefined;
    return { head, entries, first: Number(head.readBigUInt64BE(16)), prev: head.subarray(24, 56), end: at + 60 + length };
  }
}

// lastSegment returns the number behind the last segment that was begun. Files before
// the first are left over from a prune.
function lastSegment(dir, first) {
  const numbers = readdirSync(join(dir, 'log')).filter((n) => /^\d{8}\.seg$/.test(n))
    .map((n) => Number(n.slice(0, 8))).filter((n) => n >= first).sort((a, b) => a - b);
  numbers.forEach((number, i) => {
    if (number !== first + i) throw new Bad(`segment ${first + i} is missing`);
  });
  if (first > 0 && numbers.length === 0) throw new Bad(`segment ${first} is missing`);
  const last = first + numbers.length - 1;
  return last >= first && !new Segment(dir, last).begun(true) ? last : last + 1;
}

class Verification {
  ends = new Map(); // of segments, by size: the next segment and the root
  batches = 0;
  torn = 0;

  constructor(ring, checkpoints, begin) {
    Object.assign(this, { ring, checkpoints, begin, tree: begin.tree, prev: begin.prev, time: begin.time, first: begin.tree.size });
    this.sizes = new Set(checkpoints.map((c) => c.size));
    if (this.first > 0 && !this.sizes.has(this.first)) throw new Bad(`no checkpoint is of the ${this.first} entries that were pruned`);
    this.agreed = this.first;
    this.checkTree();
  }

  segment(s, isLast) {
    if (s.logId !== this.ring.first().id) throw new Bad(`${s.file}: it is of log ${s.logId}, the key is of ${this.ring.first().id}`);
    if (s.first !== this.tree.size || !s.prev.equals(this.prev)) this.bad(s, 0, 'the segment does not continue the one before');
    this.ends.set(s.first, { segment: s.number, root: this.tree.root() });
    let at = 128;
    for (let b; (b = this.batchAt(s, at)); at = b.end) this.batch(s, at, b);
    const rest = s.bytes.subarray(at);
    if (isZero(rest)) return;
    if (!isLast || rest.indexOf(s.mark, 1) >= 0) this.bad(s, at, 'no whole batch stands here, and the log goes on');
    this.torn = rest.length;
  }

  // batchAt looks again, since the first look may have met a writer at work, and the
  // second one too; but a batch behind which another was seen has been written.
  batchAt(s, at) {
    let found = s.batch(at);
    for (let again = 0; again < 2 && !found && !isZero(s.bytes.subarray(at)); again++) {
      s.read();
      found = s.batch(at);
    }
    return found;
  }

  batch(s, at, b) {
    if (b.first !== this.tree.size || !b.prev.equals(this.prev)) this.bad(s, at, 'the batch does not continue the one before');
    const leaves = b.entries.map((raw, i) => {
      try {
        this.time = checkEntry(raw, b.first + i, this.time, this.ring);
        if (fields(raw)[0].number === 8) this.pruned(readPruned(raw));
      } catch (e) {
        this.bad(s, at, e.message, b.first + i);
      }
      return leafHash(raw);
    });
    for (const leaf of leaves) {
      this.tree.append(leaf);
      this.checkTree();
    }
    this.prev = sha256(b.head.subarray(8, 56), ...leaves);
    this.batches++;
  }

  // pruned checks what an entry says was pruned: up to the end of a segment, or before
  // this log's beginning, which one entry must account for.
  pruned(p) {
    if (p.sequence === this.begin.pruned?.sequence) this.accounted = p.raw.equals(this.begin.pruned.raw);
    const end = this.ends.get(p.first);
    if (p.first >= this.first && !(end?.segment === p.segment && end.root.equals(p.root))) {
      throw new Bad(`it says that segment ${p.segment} begins with entry ${p.first}, behind another tree`);
    }
  }

  checkTree() {
    const { size } = this.tree;
    if (!this.sizes.has(size)) return;
    for (const c of this.checkpoints.filter((c) => c.size === size)) {
      if (!c.root.equals(this.tree.root())) {
        throw new Bad(`entry ${this.agreed} (or one up to ${size - 1}) was changed: ${c.file} is signed for another root at ${size} entries`);
      }
      this.agreed = size;
    }
  }

  bad(s, at, why, sequence = this.tree.size) {
    throw new Bad(`entry ${sequence} (${s.file}, offset ${at}): ${why}`);
  }

  end() {
    if (this.begin.pruned && !this.accounted) {
      throw new Bad(`entry ${this.first} (${this.begin.file}, offset 0): the log begins here, but its entry ${this.begin.pruned.sequence} does not say so`);
    }
    for (const c of this.checkpoints) {
      if (c.size > this.tree.size) throw new Bad(`entry ${this.tree.size} is missing: the log ends before it, but ${c.file} is signed for ${c.size} entries`);
    }
  }
}

// verifyLog verifies one data directory, and returns what it went over.
function verifyLog(dir, key, kept) {
  if (existsSync(join(dir, 'unfinished'))) throw new Bad(`${dir} is a copy that was not finished`);
  const ring = new Ring(key, readChain(dir));
  const checkpoints = readCheckpoints(dir, ring, kept); // before the log, which can only have grown since
  const begin = readBegin(dir, ring);
  const end = lastSegment(dir, begin.segment);
  const v = new Verification(ring, checkpoints, begin);
  for (let n = begin.segment; n < end; n++) {
    const s = new Segment(dir, n);
    s.begun(false);
    v.segment(s, n === end - 1);
  }
  v.end();
  return { v, segments: end - begin.segment, checkpoints };
}

// verifyEpochs verifies the logs that a log was restored from, each by what the next says.
function verifyEpochs(dir, restored) {
  const epochs = [];
  const all = basename(dirname(dir)) === 'epochs' ? dirname(dir) : join(dir, 'epochs'); // of an epoch, beside it
  while (restored) {
    const said = Object.fromEntries(fields(restored).map((f) => [f.number, f.value]));
    const before = parseKey((said[7] ?? '').toString());
    const at = join(all, before.id);
    if (said[2]?.toString() !== before.id) throw new Bad(`the log goes on from ${said[2]}, and the key is of ${before.id}`);
    const { v } = verifyLog(at, before, []);
    if (BigInt(v.tree.size) !== said[3] || !v.tree.root().equals(said[4] ?? Buffer.of())) {
      throw new Bad(`${at} has ${v.tree.size} entries, and another root or number of them was restored: ${said[3]}`);
    }
    epochs.push({ log_id: before.id, entries: v.tree.size });
    restored = v.ring.restored;
  }
  return epochs;
}

function main([dir, verifierKey, ...kept]) {
  if (!dir || !verifierKey) {
    console.error('usage: node verify.mjs DIR VERIFIER_KEY [CHECKPOINT…]');
    return 2;
  }
  try {
    const key = parseKey(verifierKey);
    const { v, segments, checkpoints } = verifyLog(dir, key, kept);
    const epochs = verifyEpochs(resolve(dir), v.ring.restored);
    console.log(JSON.stringify({
      log_id: key.id, key_changes: v.ring.keys.length - 1, entries: v.tree.size, first: v.first, batches: v.batches, segments,
      checkpoints: checkpoints.length, signed: v.agreed, root: v.tree.root().toString('hex'), torn: v.torn > 0, epochs,
    }));
    return 0;
  } catch (e) {
    if (!(e instanceof Bad) && !e.code) throw e; // e.code: the disk's
    console.error(`NOT verified: ${e.message}`);
    return 1;
  }
}

process.exitCode = main(process.argv.slice(2));
