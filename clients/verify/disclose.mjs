// Discloses what an entry of a Writ log holds encrypted, by docs/ledger-format.md: finds
// the keys, decrypts, and checks every disclosed value against the commitment that the
// entry has at its place. No code is shared with Writ, and no package is needed.
//
//   writ log show 5f3c09ab-1742 -o json | node disclose.mjs KEYS DIR
//
// KEYS is the log's key directory, DIR its data directory (for what is a blob). Whether
// the entry is the log's, verify.mjs or a proof says. Prints the inputs as the policy
// read them. Exit 1: something is missing, erased, or does not fit. 2: usage.

import { createDecipheriv, createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

class Bad extends Error {}

const sha256 = (...parts) => parts.reduce((h, p) => h.update(p), createHash('sha256')).digest();
const uint = (n, bytes) => Buffer.from(BigInt(n).toString(16).padStart(2 * bytes, '0'), 'hex');
const sized = (b) => Buffer.concat([uint(b.length, 4), b]);

function varint(b, at) {
  for (let value = 0n, i = 0; at + i < b.length; i++) {
    value |= BigInt(b[at + i] & 0x7f) << BigInt(7 * i);
    if (b[at + i] < 0x80) return [value, at + i + 1];
  }
  throw new Bad('a number is cut short');
}

// message returns the values of each field, by number.
function message(b) {
  const all = {};
  for (let at = 0; at < b.length;) {
    const [tag, afterTag] = varint(b, at);
    let [value, end] = varint(b, afterTag);
    if ((tag & 7n) === 2n) [value, end] = [b.subarray(end, end + Number(value)), end + Number(value)];
    (all[tag >> 3n] ??= []).push(value);
    at = end;
  }
  return all;
}

const one = (m, number, otherwise) => m[number]?.at(-1) ?? otherwise;

// keyOf finds an item's key in items.keys.
function keyOf(keys, logId, slot, check) {
  const at = 64 * (Number(slot) + 1);
  const s = keys.subarray(at, at + 64);
  if (s.length < 64) throw new Bad(`items.keys has no slot ${slot}`);
  const state = s.readUInt32BE(0);
  if (state === 2) throw new Bad(`erased by entry ${s.readBigUInt64BE(40)}`);
  const key = s.subarray(8, 40);
  const expected = sha256('writ item key\0', logId, uint(slot, 8), key).subarray(0, 16);
  if (state !== 1 || !expected.equals(check)) throw new Bad(`slot ${slot} of items.keys does not hold the item's key`);
  return key;
}

function open(raw, logId, keys, dir) {
  const item = message(raw);
  const [kind, slot] = [one(item, 1, 0n), one(item, 2, 0n)];
  const key = keyOf(keys, logId, slot, one(item, 3, Buffer.alloc(0)));
  const blob = one(item, 5)?.toString();
  const sealed = blob ? readFileSync(join(dir, 'blobs', blob.slice(0, 2), blob)) : one(item, 4, Buffer.alloc(0));
  if (blob && sha256(sealed).toString('hex') !== blob) throw new Bad(`blob ${blob} has other content than its name says`);
  const cipher = createDecipheriv('aes-256-gcm', key, Buffer.alloc(12));
  cipher.setAAD(Buffer.concat([Buffer.from('writ item\0' + logId), uint(slot, 8), uint(kind, 4)]));
  cipher.setAuthTag(sealed.subarray(-16));
  return { kind, content: Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]) };
}

function follow(at, pointer) {
  for (const token of pointer.split('/').slice(1)) at = at?.[token.replaceAll('~1', '/').replaceAll('~0', '~')];
  return at;
}

// unmask puts the disclosed values in the places of their commitments.
function unmask(inputs, disclosures) {
  const tree = JSON.parse(inputs);
  let text = inputs.toString();
  for (const raw of disclosures) {
    const d = message(raw);
    const [place, salt, value] = [1, 2, 3].map((n) => one(d, n, Buffer.alloc(0)));
    const commitment = sha256('writ commitment\0', sized(place), sized(salt), sized(value)).toString('base64url');
    const stands = follow(tree, place.toString());
    if (stands?.['...'] !== commitment || Object.keys(stands).length !== 1) throw new Bad(`no commitment to what is disclosed stands at ${place}`);
    text = text.replace(`{"...":"${commitment}"}`, () => value.toString());
  }
  return text;
}

function main([keyDir, dir]) {
  if (!keyDir || !dir) {
    console.error('usage: writ log show ID -o json | node disclose.mjs KEYS DIR');
    return 2;
  }
  try {
    const shown = JSON.parse(readFileSync(0, 'utf8'));
    const decision = message(one(message(Buffer.from(shown.raw, 'base64')), 5, Buffer.alloc(0)));
    const items = (decision[30] ?? []).map((raw) => open(raw, shown.position.log_id, readFileSync(join(keyDir, 'items.keys')), dir));
    const inputs = items.find((i) => i.kind === 2n)?.content ?? one(decision, 17, Buffer.from('{}'));
    const masked = items.find((i) => i.kind === 1n)?.content ?? Buffer.alloc(0);
    console.log(unmask(inputs, message(masked)[1] ?? []));
    return 0;
  } catch (e) {
    console.error(`NOT disclosed: ${e.message}`);
    return 1;
  }
}

process.exitCode = main(process.argv.slice(2));
